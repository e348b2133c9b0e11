# SPDX-License-Identifier: Apache-2.0
# Recurses for ever; Python stops it.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stderr*="RecursionError"
# expect eval: completed=false success=false

def f(n):
    return f(n + 1)


f(0)
