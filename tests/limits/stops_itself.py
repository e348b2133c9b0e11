#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Stops itself: a stopped process takes no SIGTERM.
# options: --timeout 0.5
# expect: status=timeout exit=124 timed_out=true wall_s<2

import os
import signal

if os.fork():
    os.wait()
else:
    os.kill(os.getpid(), signal.SIGSTOP)
