# SPDX-License-Identifier: Apache-2.0
# Opens files until it may not, which it is told.
# options: --ulimit nofile=200
# expect: status="exited" exit=24 success=false exit_code=24
# expect eval: completed=false

import os
import sys

held = []
try:
    while True:
        held.append(os.open("/", os.O_RDONLY))
except OSError as e:
    sys.exit(e.errno)
