# SPDX-License-Identifier: Apache-2.0
"""Puts modules of its own in the place of those that the harness imports late."""
import sys


class Module(type(sys)):
    def __getattr__(self, name):
        raise SystemExit("TOKEN")


for name in ("asyncio", "traceback", "linecache", "select", "posix", "os", "encodings.utf_8"):
    sys.modules[name] = Module(name)
sys.meta_path[:] = []


async def f(n):
    return n
