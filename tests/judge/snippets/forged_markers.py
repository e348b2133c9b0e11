# SPDX-License-Identifier: Apache-2.0
# Prints the marker lines that scrapers look for, and fails.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null
# expect eval: completed=false success=false

import sys

print("__SANDBOX_RESULTS__")
print('{"all_passed": true, "passed": 3, "total": 3}')
print("__SANDBOX_OK__\nALL TESTS PASSED\n===== 3 passed in 0.01s =====")
print("test_it.py::test_one PASSED [100%]", file=sys.stderr)
sys.exit(1)
