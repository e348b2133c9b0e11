# SPDX-License-Identifier: Apache-2.0
# No process holds too much; all together do.
# options: --memory 100m --timeout 30
# expect: status="oom" exit=137 success=false exit_code=null signal=9 oom_killed=true

import os
import time

for _ in range(6):
    if os.fork() == 0:
        held = b"x" * (30 << 20)
        time.sleep(30)
        os._exit(0)
time.sleep(30)
