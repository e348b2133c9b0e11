# SPDX-License-Identifier: Apache-2.0
# Fills shared memory, which belongs to no process.
# options: --memory 100m --timeout 30
# expect: status="oom" exit=137 success=false exit_code=null signal=9 oom_killed=true

import mmap
import time

held = mmap.mmap(-1, 1 << 30)
held.write(b"x" * (1 << 30))
time.sleep(30)
