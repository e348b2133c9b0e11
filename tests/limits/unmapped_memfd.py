#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Writes into a memfd that is never mapped: it shows in no process's resident memory.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true

import os
import time

fd = os.memfd_create("hidden")
for _ in range(200):
    os.write(fd, bytes(1 << 20))
time.sleep(20)
