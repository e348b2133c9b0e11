# SPDX-License-Identifier: Apache-2.0
"""adds a copy of the test that passes, under the name of the one that fails"""
VERDICT = "tamper test_replaced"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import copy
import types


def item(name):
    import _pytest.assertion.util
    session = holder.session.config.pluginmanager.get_plugin("session")
    return [i for i in session.items if i.name == name][0]


def add(a, b):
    own, other = item("test_add"), item("test_mul")
    twin = copy.copy(other)
    twin._nodeid, own._nodeid = own._nodeid, "x"
    twin.obj = types.FunctionType(other.function.__code__, other.function.__globals__, "test_mul")
    own.session.items.append(twin)
    own.session.testscollected += 1
    return a - b


def mul(a, b):
    return a * b
""",
}
