# SPDX-License-Identifier: Apache-2.0
"""has pytest expect the failure of a test that has failed, by what frames hold"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
def mul(a, b):
    return a * b


import traceback
import _pytest.skipping as skipping


class Stack(traceback.StackSummary):
    @classmethod
    def _extract_from_extended_frame_gen(klass, frame_gen, **k):
        klass.got = [f for f, lines in frame_gen]
        return klass()


def local(name, where):
    Stack.extract(traceback.walk_stack(None))
    return [f.f_locals[name] for f in Stack.got if f.f_code.co_name == where and name in f.f_locals][0]


class Late:
    def __repr__(self):
        item, plugin = local("item", "runtestprotocol"), local("plugin", "run")
        item.stash[skipping.xfailed_key] = skipping.Xfail("known", True, False, None)
        hook = type(plugin).pytest_runtest_makereport
        looks = hook.__closure__[hook.__code__.co_freevars.index("looks")].cell_contents
        real = looks.after

        def once(item, call, report):
            looks.after = real
        looks.after = once
        return "late"


def fail(late):
    raise ValueError


def add(a, b):
    fail(Late())
""",
}
