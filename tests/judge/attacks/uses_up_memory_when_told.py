# SPDX-License-Identifier: Apache-2.0
"""Needs two gigabytes only while the answer is told."""
class Large(Exception):
    def __str__(self):
        return "x" * (1 << 31)


class Repr:
    def __repr__(self):
        return "x" * (1 << 31)


def f(n):
    if n % 2:
        raise Large
    return Repr()
