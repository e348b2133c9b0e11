#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# One line of 10 GiB. It is read to its end, and csbx's own memory does not grow.
# heavy: moves 10 GiB through a pipe
# options: --max-output 1m
# expect: status=exited exit=0 stdout_bytes=10737418240 truncated.stdout=true

import os

chunk = b"x" * (1 << 20)
for _ in range(10 << 10):
    left = memoryview(chunk)
    while left:
        left = left[os.write(1, left):]
