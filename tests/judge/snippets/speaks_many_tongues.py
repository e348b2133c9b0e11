# SPDX-License-Identifier: Apache-2.0
# Prints text that is not ASCII.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="na\u00efve \u4e2d\u6587 \ud83d\ude00\n" encoding="utf-8"
# expect eval: completed=true

print("na\u00efve \u4e2d\u6587 \U0001f600")
