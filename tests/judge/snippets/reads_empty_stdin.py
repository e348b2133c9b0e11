# SPDX-License-Identifier: Apache-2.0
# Asks for input where there is none.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stderr*="EOFError"
# expect eval: completed=false success=false

print(input("name? "))
