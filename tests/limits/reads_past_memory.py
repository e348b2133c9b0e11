#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Reads and maps more of the image than its memory limit has room for, again and again: the kernel
# drops pages of files all the time, which is not being out of memory.
# options: --memory 30m
# expect: status=exited exit=0 oom_killed=false
# expect-memory-cgroup2: memory_peak_bytes>30000000

import glob
import mmap
import os
import time

held = bytearray(10 << 20)
deadline = time.monotonic() + 3
total = 0
while time.monotonic() < deadline or total < 60 << 20:
    for path in glob.glob("/usr/lib/**/*", recursive=True):
        if not os.path.isfile(path) or not os.path.getsize(path):
            continue
        with open(path, "rb") as f:
            total += len(f.read())
            with mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as m:
                total += sum(m[i] != 256 for i in range(0, len(m), 4096))
        if total >= 60 << 20 and time.monotonic() > deadline:
            break
