# SPDX-License-Identifier: Apache-2.0
# Prints and ends.
# expect: status="exited" exit=0 success=true exit_code=0 signal=null timed_out=false oom_killed=false stdout="42\n" stderr=""
# expect eval: completed=true

print(6 * 7)
