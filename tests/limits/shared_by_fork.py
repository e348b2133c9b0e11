#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# 60 MiB shared by seven processes is 60 MiB: it must not be taken for 420.
# options: --memory 200m
# expect: status=exited exit=0 success=true oom_killed=false

import os
import time

held = b"x" * (60 << 20)
for _ in range(6):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
for _ in range(6):
    os.wait()
