# SPDX-License-Identifier: Apache-2.0
"""Returns what cannot be told in any time: endless, recursive, shared without end, huge."""
import itertools


class Endless(dict):
    def items(self):
        return itertools.count()


def f(n):
    loop = []
    loop.append(loop)
    shared = []
    for _ in range(90):
        shared = [shared, shared, shared]
    return [lambda: loop, lambda: shared, Endless, itertools.count, lambda: 1 << (1 << 33), lambda: "x" * (1 << 24), lambda: {n: loop},
            lambda: (x for x in loop)][n % 8]()
