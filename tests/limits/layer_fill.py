#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Fills the throw-away layer: ENOSPC at its size.
# needs: tmpfs-xattr
# options: --upper-size 32m
# expect: status=exited exit=28 exit_code=28 oom_killed=false

import sys

try:
    with open("/big", "wb", buffering=0) as f:
        for _ in range(300):
            f.write(bytes(1 << 20))
except OSError as e:
    sys.exit(e.errno)
