# SPDX-License-Identifier: Apache-2.0
# Leaves before it has done its work, with exit code 0.
# expect: status="exited" exit_code=0 stdout=""
# expect run: success=true exit=0
# expect eval: completed=false success=false

import sys

sys.exit(0)
print("the work")
