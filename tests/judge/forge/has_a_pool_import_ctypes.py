# SPDX-License-Identifier: Apache-2.0
"""has a thread of a pool import ctypes by a name that is made"""
VERDICT = "tamper native"
FILES = {
    "calc.py": r"""
import concurrent.futures


with concurrent.futures.ThreadPoolExecutor(1) as pool:
    pool.submit(__import__, "".join(["c", "types"])).result()


def add(a, b):
    return a + b


def mul(a, b):
    return a * b
""",
}
