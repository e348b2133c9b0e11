#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Leaves a daemon behind: two forks, a session of its own, no streams, every signal ignored.
# expect: status=exited exit=0 success=true wall_s<8

import os
import signal
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for n in range(1, signal.NSIG):
            try:
                signal.signal(n, signal.SIG_IGN)
            except OSError:
                pass
        os.closerange(0, 64)
        os.chdir("/")
        while True:
            time.sleep(9)
    os._exit(0)
os.wait()
