# SPDX-License-Identifier: Apache-2.0
# Leaves by os._exit, past every handler.
# expect: status="exited" exit_code=0
# expect run: success=true exit=0
# expect eval: completed=false success=false

import os

os._exit(0)
print("the work")
