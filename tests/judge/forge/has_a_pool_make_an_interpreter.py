# SPDX-License-Identifier: Apache-2.0
"""has a thread of a pool make another interpreter"""
VERDICT = "tamper interpreter"
FILES = {
    "calc.py": r"""
import _xxsubinterpreters
import concurrent.futures


with concurrent.futures.ThreadPoolExecutor(1) as pool:
    _xxsubinterpreters.destroy(pool.submit(_xxsubinterpreters.create).result())


def add(a, b):
    return a + b


def mul(a, b):
    return a * b
""",
}
