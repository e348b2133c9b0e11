#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# 40 MiB of shared memory without a name and 40 MiB in /dev/shm: neither is over the limit, and the
# sum is, whether or not the two are taken for the same.
# options: --memory 65m
# expect: status=oom exit=137 oom_killed=true

import mmap
import time

held = mmap.mmap(-1, 40 << 20)
for _ in range(40):
    held.write(bytes(1 << 20))
with open("/dev/shm/big", "wb", buffering=0) as f:
    for _ in range(40):
        f.write(bytes(1 << 20))
time.sleep(20)
