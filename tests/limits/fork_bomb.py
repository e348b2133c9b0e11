#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Forks wherever it may. A limit of processes kills no process (EAGAIN); the timeout does.
# options: --pids-limit 50 --timeout 1
# expect: status=timeout exit=124 timed_out=true limits.pids.asked=50 wall_s<8

import os
import time

while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.05)
