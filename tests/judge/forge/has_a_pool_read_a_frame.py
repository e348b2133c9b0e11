# SPDX-License-Identifier: Apache-2.0
"""has a thread of a pool read a frame"""
import forge_parts

VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import concurrent.futures
import operator


def frame_of(tb):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return list(pool.map(operator.attrgetter("tb_frame"), [tb]))[0].f_back
""" + forge_parts.TAKES_WHAT_IS_WANTED,
}
