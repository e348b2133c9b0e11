# SPDX-License-Identifier: Apache-2.0
# Forks wherever it may. A limit of processes kills no process; the time does.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true wall_s<10

import os
import time

while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.05)
