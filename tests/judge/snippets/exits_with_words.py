# SPDX-License-Identifier: Apache-2.0
# Leaves with a message, which is exit code 1.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stderr*="out of luck"
# expect eval: completed=false success=false

import sys

sys.exit("out of luck")
