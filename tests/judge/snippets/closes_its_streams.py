# SPDX-License-Identifier: Apache-2.0
# Closes stdout and stderr and works on.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="" stderr=""

import os

os.close(1)
os.close(2)
with open("f", "w", encoding="utf-8") as f:
    f.write("x")
