# SPDX-License-Identifier: Apache-2.0
# Catches every exception and tries again.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true

while True:
    try:
        while True:
            pass
    except BaseException:
        pass
