# SPDX-License-Identifier: Apache-2.0
# Computes for ever.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true

while True:
    pass
