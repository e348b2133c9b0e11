# SPDX-License-Identifier: Apache-2.0
# Leaves with the code that stands for a timeout.
# expect: status="exited" exit=124 success=false exit_code=124 timed_out=false
# expect eval: completed=false

raise SystemExit(124)
