# SPDX-License-Identifier: Apache-2.0
"""has items made of a class of its own, by a fixture manager of its own"""
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

import pytest
fm = session._fixturemanager


class Function(pytest.Function):
    def runtest(self):
        pass


class Holders(set):
    def __contains__(self, holder):
        return set.__contains__(self, holder)

    def add(self, holder):
        set.add(self, holder)


class Fm(type(fm)):
    def __init__(self):
        self.__dict__.update(fm.__dict__)

    def parsefactories(self, node, *a, **k):
        if type(node) is pytest.Module:
            node._genfunctions = lambda name, obj: [Function.from_parent(node, name=name, callobj=obj)]
        return super().parsefactories(node, *a, **k)


session._fixturemanager = Fm()
""",
}
