#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Starts threads until it may not: an error for the program, no verdict.
# options: --pids-limit 40
# expect: status=exited exit=3 exit_code=3 success=false limits.pids.asked=40

import sys
import threading
import time

try:
    for _ in range(500):
        threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
except RuntimeError:
    sys.exit(3)
