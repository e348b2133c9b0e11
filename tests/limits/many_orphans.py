#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Makes 5,000 orphans; only the container's init can reap them.
# scaled: ORPHANS=300
# options: --pids-limit 100 --timeout 60
# expect: status=exited exit=0 success=true

import os
import time

for _ in range(int(os.environ.get("ORPHANS", 5000))):
    while True:
        try:
            child = os.fork()
            break
        except BlockingIOError:
            time.sleep(0.001)
    if child == 0:
        while True:
            try:
                os.fork()
                break
            except BlockingIOError:
                time.sleep(0.001)
        os._exit(0)
    os.waitpid(child, 0)
