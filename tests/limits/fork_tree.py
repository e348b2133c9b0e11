#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Six children with 30 MiB each: no one of them is over the limit, together they are.
# options: --memory 100m
# expect: status=oom exit=137 oom_killed=true wall_s<15

import os
import time

for _ in range(6):
    if os.fork() == 0:
        held = b"x" * (30 << 20)
        time.sleep(20)
        os._exit(0)
time.sleep(20)
