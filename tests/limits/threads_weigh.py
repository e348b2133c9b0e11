#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Threads that do nothing: what the kernel holds of each makes them too heavy, their own pages do not.
# options: --memory 40m --pids-limit 1500
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import ctypes
import threading
import time

# The code stays in memory. Else a kernel that holds the limit drops it to make room and reads it anew,
# and on a slow machine the last few threads take minutes.
libc = ctypes.CDLL(None)
with open("/proc/self/maps", encoding="ascii") as f:
    for line in f:
        area, mode = line.split()[:2]
        if mode == "r-xp" and "/" in line:
            begin, end = (int(word, 16) for word in area.split("-"))
            libc.mlock(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin))

never = threading.Lock()
never.acquire()  # pylint: disable=consider-using-with
threading.stack_size(64 << 10)
for _ in range(1200):
    threading.Thread(target=never.acquire, daemon=True).start()
time.sleep(4)
