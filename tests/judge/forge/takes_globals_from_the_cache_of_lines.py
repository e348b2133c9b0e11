# SPDX-License-Identifier: Apache-2.0
"""is given globals of the harness as the library asks for lines of files"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import traceback, linecache
real, found = linecache.lazycache, {}
def spy(name, space):
    found[space.get("__name__")] = space
    return real(name, space)
linecache.lazycache = spy
traceback.extract_stack()
linecache.lazycache = real


def add(a, b):
    return len(found) and a + b


def mul(a, b):
    return a * b
""",
}
