# SPDX-License-Identifier: Apache-2.0
# Starts threads until it may not, which it is told.
# expect: status="exited" exit=3 success=false exit_code=3
# expect eval: completed=false

import os
import threading
import time

try:
    for _ in range(500):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
except RuntimeError:
    os._exit(3)
