#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Three thousand threads that do nothing: the kernel holds a stack and a record of each.
# options: --memory 60m --pids-limit 4000
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import threading
import time

threading.stack_size(64 << 10)
for _ in range(3000):
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
time.sleep(4)
