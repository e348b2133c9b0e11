#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# A child is killed for its memory; the main process survives it and says that all is well.
# options: --memory 100m
# expect: status=oom exit=137 exit_code=null oom_killed=true success=false

import os
import sys

if os.fork() == 0:
    held = b"x" * (1 << 30)
    os._exit(0)
os.wait()
sys.exit(0)
