#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Closes its streams and works on.
# expect: status=exited exit=5 exit_code=5 stdout="before\n" stderr=""

import os
import time

os.write(1, b"before\n")
for fd in range(3):
    os.close(fd)
time.sleep(0.2)
os._exit(5)
