# SPDX-License-Identifier: Apache-2.0
"""says of a hook of the harness that it wraps nothing"""
VERDICT = "tamper pytest_modified"
KEEPS_SESSION = True
FILES = {
    "calc.py": r"""
import holder
import signal
import sys
frames = []
signal.signal(signal.SIGUSR1, lambda n, f: frames.append(f))


def stack():
    frames.clear()
    signal.raise_signal(signal.SIGUSR1)
    f = frames.pop()
    while f is not None:
        yield f
        f = f.f_back

import sys
session = holder.session

pm = session.config.pluginmanager
own = [i for i in pm.hook.pytest_pyfunc_call.get_hookimpls() if type(i.plugin).__name__ == "CsbxReporter"]


class Gen:
    def send(self, outcome):
        outcome.force_result([None])
        raise StopIteration


def add(a, b):
    own[0].hookwrapper = False
    for f in stack():
        if f.f_code.co_name == "_multicall":
            f.f_locals["teardowns"].append(Gen())
            break
    return a - b


def mul(a, b):
    own[0].hookwrapper = True
    return a * b
""",
}
