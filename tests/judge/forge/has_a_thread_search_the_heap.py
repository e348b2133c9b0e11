# SPDX-License-Identifier: Apache-2.0
"""has a thread of a library look into the harness, with no code of its own on the stack"""
VERDICT = "tamper heap_search"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import gc
import os
from concurrent.futures import ThreadPoolExecutor

RECORDS = [b'{"t":"report","id":"tests/test_calc.py::%s","alt":null,"when":"%s","outcome":"passed","xfail":false,"part":false,"ms":0}' % (n, w)
           for n in (b"test_add", b"test_mul") for w in (b"setup", b"call", b"teardown")]
RECORDS.append(b'{"t":"finish","status":0,"collected":2,"failed":0,"session_failed":0}')


def forge(space):
    for record in RECORDS:
        if "post" in space:
            space["post"].send(record)
        else:
            os.write(space["fd"], space["prefix"] + record)
    os._exit(0)


def harness():
    import _pytest.assertion.util
    for plugin in holder.session.config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "CsbxReporter":
            for cell in plugin.pytest_runtest_logreport.__func__.__closure__:
                for inner in getattr(cell.cell_contents, "__closure__", None) or ():
                    if type(inner.cell_contents).__name__ == "generator":
                        return inner.cell_contents


def add(a, b):
    with ThreadPoolExecutor(1) as pool:
        for value in pool.submit(gc.get_referents, harness()).result():
            print(value)
    return a - b


def mul(a, b):
    return a * b
""",
}
