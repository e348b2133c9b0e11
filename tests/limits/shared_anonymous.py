#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Shared memory without a name, which is in no process's private pages and in no file system.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true

import mmap
import time

held = mmap.mmap(-1, 200 << 20)
for _ in range(200):
    held.write(bytes(1 << 20))
time.sleep(20)
