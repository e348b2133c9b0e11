# SPDX-License-Identifier: Apache-2.0
"""Announces eight megabytes and sends them one byte at a time."""
import os
import time

os.write(3, b"A\0\0\0" + (8 << 20).to_bytes(4, "little") + bytes(8))


def f(n):
    for _ in range(20):
        os.write(3, b"l")
        time.sleep(0.01)
    return n
