# SPDX-License-Identifier: Apache-2.0
"""has a thread of a pool open the memory of its process"""
VERDICT = "tamper memory"
FILES = {
    "calc.py": r"""
import concurrent.futures
import os


with concurrent.futures.ThreadPoolExecutor(1) as pool:
    os.close(pool.submit(os.open, "/proc/self/mem", os.O_RDONLY).result())


def add(a, b):
    return a + b


def mul(a, b):
    return a * b
""",
}
