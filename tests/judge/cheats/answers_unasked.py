# SPDX-License-Identifier: Apache-2.0
"""Sends answers and ends under guessed numbers before and while it is asked."""
import os


def frame(kind, number, payload=b""):
    return kind + bytes(3) + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload


ANSWER = b"l4:s1:Rs4:boolTN"
for n in range(100):
    os.write(3, frame(b"A", n, ANSWER) + frame(b"E", n, b"i0;"))


def f(n):
    for number in (0, 1, n, 2 ** 64 - 1):
        os.write(3, frame(b"A", number, ANSWER) + frame(b"E", number, b"i0;"))
    return "anything"
