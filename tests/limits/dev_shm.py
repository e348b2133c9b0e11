#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Fills /dev/shm, whose default size is above the memory limit.
# options: --memory 40m
# expect: status=oom exit=137 oom_killed=true

import time

with open("/dev/shm/big", "wb", buffering=0) as f:
    for _ in range(60):
        f.write(bytes(1 << 20))
time.sleep(20)
