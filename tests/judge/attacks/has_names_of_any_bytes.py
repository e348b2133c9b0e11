# SPDX-License-Identifier: Apache-2.0
"""Types and exceptions whose names and messages are no text."""
class Odd(Exception):
    def __str__(self):
        return "\ud800\0\x1b[2J" + "TOKEN\n" * 1000


Odd.__name__ = "\x1b\n\u202e" + "x" * 100000


def f(n):
    if n % 2:
        raise Odd
    return type("y" * 10000000, (), {"__repr__": lambda self: "\udcff\0" * 1000})()
