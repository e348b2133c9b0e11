# SPDX-License-Identifier: Apache-2.0
# Imports what the image does not have.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stderr*="ModuleNotFoundError"
# expect eval: completed=false success=false

import no_such_module_at_all
