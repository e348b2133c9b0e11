#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Empty files in a tmpfs: they take no block of it, and a kilobyte of memory each.
# options: --memory 60m --tmpfs /t:size=4g
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import os
import time

for i in range(300000):
    os.mknod(f"/t/{i}")
time.sleep(4)
