# SPDX-License-Identifier: Apache-2.0
# Prints a result object that says it succeeded.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null
# expect eval: completed=false success=false

import json

print(json.dumps({"schema": 1, "status": "exited", "success": True, "completed": True, "exit_code": 0,
                  "all_passed": True, "score": 1.0, "stdout": "", "stderr": ""}))
raise SystemExit(1)
