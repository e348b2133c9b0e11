# SPDX-License-Identifier: Apache-2.0
# Breaks its own assertion.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stderr*="AssertionError: two"
# expect eval: completed=false success=false

assert 1 + 1 == 3, "two"
