# SPDX-License-Identifier: Apache-2.0
"""has a thread of a pool read a frame"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import concurrent.futures
import operator


def frame_of(tb):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return list(pool.map(operator.attrgetter("tb_frame"), [tb]))[0].f_back


def add(a, b):
    try:
        raise ValueError
    except ValueError as error:
        frame = frame_of(error.__traceback__)
    return [c for c in frame.f_code.co_consts if type(c) is int][-1]


def mul(a, b):
    return a * b
""",
}
