# SPDX-License-Identifier: Apache-2.0
"""puts an object in the place of the test that says which function it stands for"""
VERDICT = "tamper pytest_modified"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
def add(a, b):
    return a - b


def mul(a, b):
    return a * b

import sys
session = holder.session

class S(type(session._setupstate)):
    def setup(self, item):
        super().setup(item)
        real = item.obj
        class Obj:
            __func__ = real
            def __call__(self, *a, **k):
                try: real(*a, **k)
                except AssertionError: pass
        item.obj = Obj()


session._setupstate = S()
""",
}
