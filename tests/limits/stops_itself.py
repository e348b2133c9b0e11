#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Stops itself and a child: a stopped process takes no SIGTERM.
# options: --timeout 0.5
# expect: status=timeout exit=124 timed_out=true wall_s<8

import os
import signal

os.fork()
os.kill(os.getpid(), signal.SIGSTOP)
