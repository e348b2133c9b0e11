# SPDX-License-Identifier: Apache-2.0
# Makes and removes temporary files.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="True False\n"
# expect eval: completed=true

import os
import tempfile

with tempfile.TemporaryDirectory() as d:
    print(os.path.isdir(d), end=" ")
print(os.path.exists(d))
