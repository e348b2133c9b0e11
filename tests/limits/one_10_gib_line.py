#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# One line of 10 GiB. It is read to its end, and csbx's own memory does not grow.
# scaled: MIB=64
# options: --max-output 1m
# expect: status=exited exit=0 truncated.stdout=true
# expect-whole: stdout_bytes=10737418240

import os

chunk = b"x" * (1 << 20)
for _ in range(int(os.environ.get("MIB", 10 << 10))):
    left = memoryview(chunk)
    while left:
        left = left[os.write(1, left):]
