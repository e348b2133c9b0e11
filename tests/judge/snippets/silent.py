# SPDX-License-Identifier: Apache-2.0
# Does nothing.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="" stderr=""
# expect eval: completed=true

pass
