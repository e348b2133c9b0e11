#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Opens files until it may not: an error for the program, no verdict.
# options: --ulimit nofile=200
# expect: status=exited exit=24 exit_code=24

import os
import sys

held = []
try:
    while True:
        held.append(os.open("/", os.O_RDONLY))
except OSError as e:
    sys.exit(e.errno)
