#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Ignores SIGTERM, and its children do.
# options: --timeout 4
# expect: status=timeout exit=124 timed_out=true exit_code=null signal=9 wall_s<10

import os
import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork()
while True:
    time.sleep(9)
