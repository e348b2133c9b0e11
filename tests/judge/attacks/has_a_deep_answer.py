# SPDX-License-Identifier: Apache-2.0
"""Answers with a literal of a hundred thousand levels, and with one that ends too early."""
import os
import sys


def f(n):
    at = sys._getframe()
    while "number" not in at.f_locals:
        at = at.f_back
    number = int.from_bytes(at.f_locals["number"], "little")
    for payload in (b"l1:" * 100000, b"l4:s1:Rs3:str" + b"d1:" * 100000 + b"N", b"s99999999999999999999999:x", b"l4294967295:", b"l-1:", b"i--1;", b"f1e999999;",
                    b"l4:s1:\0s3:strs1:xN", b"l4:s1:Ri5;s1:xN", b"l6:s1:Es1:xi1;s1:xi1;N", b"e2:s1:as1:a", b"d2:NNNN", b"os1:x"):
        os.write(3, b"A\0\0\0" + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload)
    return n
