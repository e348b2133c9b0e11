# SPDX-License-Identifier: Apache-2.0
# Writes more than the throw-away layer may hold.
# options: --memory 1g --upper-size 32m --timeout 30
# expect: status="exited" exit=28 success=false exit_code=28
# expect eval: completed=false

import sys

try:
    with open("big", "wb", buffering=0) as f:
        for _ in range(200):
            f.write(b"x" * 1_000_000)
except OSError as e:
    sys.exit(e.errno)
