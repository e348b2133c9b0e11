# SPDX-License-Identifier: Apache-2.0
"""Forks, and returns from the function in both processes, and in a hundred more."""
import os


def f(n):
    for _ in range(5):
        os.fork()
    return os.getpid() * 1000 + n
