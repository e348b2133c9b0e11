# SPDX-License-Identifier: Apache-2.0
# Raises MemoryError by itself, far from any limit.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null oom_killed=false stderr*="MemoryError"
# expect eval: completed=false success=false

raise MemoryError("no more")
