# SPDX-License-Identifier: Apache-2.0
"""Answers with literals that are none: lengths beyond the end, deep nests, a frame of 4 GiB."""
import os
import sys


def frame(kind, number, payload=b""):
    return kind + bytes(3) + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload


def f(n):
    frame_ = sys._getframe()
    while frame_ is not None and "number" not in frame_.f_locals:
        frame_ = frame_.f_back
    number = int.from_bytes(frame_.f_locals["number"], "little")
    bad = [b"l99999999999:", b"l1:" * 100000 + b"N", b"s5:abc", b"d1:NN", b"e2:NN", b"i00;", b"fnope;", b"oNN", b""]
    if n < len(bad):
        os.write(3, frame(b"A", number, bad[n]))
    else:
        os.write(3, b"A\0\0\0\xff\xff\xff\xff" + bytes(8))
    os._exit(0)
