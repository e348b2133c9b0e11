# SPDX-License-Identifier: Apache-2.0
"""Leaves no recursion for code that looks at the answer."""
import sys

sys.setrecursionlimit(40)


def f(n):
    x = []
    for _ in range(60):
        x = [x]
    return x
