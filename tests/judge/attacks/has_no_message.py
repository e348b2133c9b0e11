# SPDX-License-Identifier: Apache-2.0
"""Exceptions whose text loops, raises, leaves or is no text."""
import os


class Odd(Exception):
    def __str__(self):
        n = self.args[0]
        if n % 4 == 0:
            raise SystemExit(0)
        if n % 4 == 1:
            os._exit(0)
        return [Text("TOKEN"), 5][n % 2]


class Text(str):
    def __getitem__(self, key):
        return ["R", "str", "TOKEN"]


def f(n):
    raise Odd(n)
