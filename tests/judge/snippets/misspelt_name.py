# SPDX-License-Identifier: Apache-2.0
# Uses a name that is not defined.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stderr*="NameError"
# expect eval: completed=false success=false

numbers = [1, 2]
print(sum(number))
