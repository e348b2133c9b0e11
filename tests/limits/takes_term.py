#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Ends itself at SIGTERM, with a code of its own: the verdict is the timeout's all the same.
# options: --timeout 2 --kill-after 5
# expect: status=timeout exit=124 timed_out=true exit_code=9 signal=null wall_s<8 stdout="cleaned up\n"

import signal
import sys
import time


def clean_up(*_):
    print("cleaned up")
    sys.exit(9)


signal.signal(signal.SIGTERM, clean_up)
time.sleep(60)
