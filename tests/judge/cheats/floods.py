# SPDX-License-Identifier: Apache-2.0
"""Floods the channel with well-formed nonsense."""
import os


def frame(kind, number, payload=b""):
    return kind + bytes(3) + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload


def f(_):
    while True:
        os.write(3, frame(b"A", 7, bytes(100000)))
