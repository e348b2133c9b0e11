# SPDX-License-Identifier: Apache-2.0
"""marks a test, and changes what the harness remembers of its marks"""
VERDICT = "tamper outcome_call"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import sys


def mul(a, b):
    return a * b


config = holder.session.config


def session():
    return holder.session


import pytest


def known():
    p = [p for p in config.pluginmanager.get_plugins() if type(p).__name__ == 'CsbxReporter'][0]
    todo, seen = [type(p).pytest_collection], set()
    while todo:
        f = todo.pop()
        for c in f.__closure__ or ():
            v = c.cell_contents
            if id(v) in seen: continue
            seen.add(id(v))
            if isinstance(v, dict) and 'marks' in v: return v
            if type(v).__name__ == 'SimpleNamespace': todo += list(vars(v).values())
            elif type(v).__name__ == 'function': todo.append(v)


def add(a, b):
    k = known()
    i = [i for i in session().items if i.name == 'test_add' and not i.cls][0]
    m = pytest.mark.xfail.mark
    i.own_markers.append(m); k['marks'][i.nodeid] = [m]
    import _pytest.skipping as s
    i.stash[s.xfailed_key] = s.Xfail(reason='', run=True, strict=False, raises=None)
    return a - b
""",
}
