# SPDX-License-Identifier: Apache-2.0
# Asks for 2 GiB in one piece and touches all of it.
# expect: status="oom" exit=137 success=false exit_code=null signal=9 oom_killed=true

held = b"x" * (2 << 30)
print(len(held))
