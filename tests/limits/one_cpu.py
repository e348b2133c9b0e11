#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Asks how many CPUs it has and keeps eight threads of work busy for half a second.
# options: --cpus 1
# expect: status=exited exit=0 limits.cpus.asked=1 cpu_user_s<1.5

import os
import time

end = time.monotonic() + 0.5
for _ in range(7):
    if os.fork() == 0:
        break
while time.monotonic() < end:
    pass
