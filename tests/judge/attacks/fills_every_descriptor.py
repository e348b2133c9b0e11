# SPDX-License-Identifier: Apache-2.0
"""Makes every descriptor from 0 to 255 the channel, and writes to them all."""
import os

for fd in range(256):
    if fd != 3:
        try:
            os.dup2(3, fd)
        except OSError:
            pass


def f(n):
    for fd in range(256):
        os.write(fd, b"A" + bytes(15) if n % 2 else b"TOKEN" * 100)
    print("TOKEN", flush=True)
    return n
