# SPDX-License-Identifier: Apache-2.0
# Sleeps past its time; what it printed before is kept.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true timeout_s=1 wall_s<5 stdout="before\n"
# expect eval: completed=false success=false

import time

print("before", flush=True)
time.sleep(3600)
