#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# 10^6 lines, all kept.
# options: --max-output 16m
# expect: status=exited exit=0 stdout_bytes=7000000 truncated.stdout=false stdout^="000000\n000001\n"

import sys

for i in range(10**6):
    sys.stdout.write(f"{i:06}\n")
