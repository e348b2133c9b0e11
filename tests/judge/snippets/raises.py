# SPDX-License-Identifier: Apache-2.0
# Ends with an exception.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stdout="before\n" stderr*="ValueError: no good"
# expect eval: completed=false success=false

print("before")
raise ValueError("no good")
