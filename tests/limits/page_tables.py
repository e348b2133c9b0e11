#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Reads one byte of every 2 MiB: the pages are the kernel's one page of zeros, the tables are 4 KiB each.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import mmap
import time

held = []
for _ in range(40):
    m = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
    m.madvise(mmap.MADV_NOHUGEPAGE)
    for at in range(0, 8 << 30, 2 << 20):
        m[at]  # noqa: B018
    held.append(m)
time.sleep(4)
