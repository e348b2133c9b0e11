#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Fills a tmpfs that is smaller than the memory limit: an error for the program, no verdict.
# options: --memory 200m --tmpfs /scratch:size=16m
# expect: status=exited exit=28 oom_killed=false

import sys

try:
    with open("/scratch/big", "wb", buffering=0) as f:
        for _ in range(300):
            f.write(bytes(1 << 20))
except OSError as e:
    sys.exit(e.errno)
