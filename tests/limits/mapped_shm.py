#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# 40 MiB in /dev/shm, mapped by four processes, are 40 MiB: the file, the mappings and the processes
# must not be added up.
# options: --memory 80m
# expect: status=exited exit=0 oom_killed=false

import mmap
import os
import time

with open("/dev/shm/big", "wb+", buffering=0) as f:
    for _ in range(40):
        f.write(bytes(1 << 20))
    held = mmap.mmap(f.fileno(), 40 << 20)
for _ in range(3):
    if os.fork() == 0:
        break
sum(held[i] for i in range(0, len(held), 4096))
time.sleep(1)
