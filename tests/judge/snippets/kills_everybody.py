# SPDX-License-Identifier: Apache-2.0
# Kills every process it may.
# expect: wall_s<9
# expect run: status="exited" exit=0 stdout="alone\n"

import os
import signal

if os.fork() == 0:
    signal.pause()
os.kill(-1, signal.SIGKILL)
print("alone")
