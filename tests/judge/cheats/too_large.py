# SPDX-License-Identifier: Apache-2.0
"""Returns what is too large or too deep to be told."""
def f(n):
    if n % 2:
        return "x" * 20_000_000
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep
