# SPDX-License-Identifier: Apache-2.0
# Leaves a process of its own session behind, which must not outlive it.
# expect: status="exited" exit=0 success=true exit_code=0 wall_s<5 stdout="parent\n"
# expect eval: completed=true

import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(1)
        os.close(2)
        time.sleep(3600)
    os._exit(0)
os.wait()
print("parent")
