# SPDX-License-Identifier: Apache-2.0
"""replaces builtins of the harness for one call"""
VERDICT = "tamper test_replaced"
FILES = {
    "calc.py": r"""
import sys
import pluggy._callers as pc
real = pc._Result
space = getattr(sys.modules.get("csbx_looks"), "__builtins__", {"hasattr": hasattr, "isinstance": isinstance})
own_has, own_is = space["hasattr"], space["isinstance"]
state = []


def fake_has(thing, name):
    if name == "wasxfail":
        state.append(1)
        if len(state) == 1:
            return True
        return False
    return own_has(thing, name)


def fake_is(thing, kinds):
    if getattr(kinds, "__name__", "") == "TestCaseFunction" and len(state) == 2:
        state.append(type(kinds))
        return True if len(state) > 3 else False
    if getattr(kinds, "__name__", "") == "TestCaseFunction" and len(state) >= 3:
        space["hasattr"], space["isinstance"] = own_has, own_is
        return True
    return own_is(thing, kinds)


def fake(results, excinfo):
    if excinfo is not None and excinfo[0] is AssertionError:
        pc._Result = real
        return real([True], None)
    return real(results, excinfo)


def add(a, b):
    pc._Result = fake
    space["hasattr"], space["isinstance"] = fake_has, fake_is
    return a - b


def mul(a, b):
    return a * b
""",
}
