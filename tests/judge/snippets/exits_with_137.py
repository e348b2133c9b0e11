# SPDX-License-Identifier: Apache-2.0
# Leaves with the code that stands for a kill.
# expect: status="exited" exit=137 success=false exit_code=137 signal=null oom_killed=false
# expect eval: completed=false

raise SystemExit(137)
