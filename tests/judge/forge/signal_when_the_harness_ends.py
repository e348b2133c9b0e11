# SPDX-License-Identifier: Apache-2.0
"""takes the frame of the harness when a signal that came meanwhile is given on"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import signal

frames, taken = [], []


def on_alarm(number, frame):
    if frame is None or frame.f_code.co_name != "release" or taken:
        return
    serve = frame.f_back.f_back.f_locals["serve"]
    cells = dict(zip(serve.__code__.co_freevars, serve.__closure__))
    taken.append(cells)
    real, mend = cells["send"].cell_contents, cells["mend_types"].cell_contents

    def fake(core, what):
        cells["send"].cell_contents = real
        return what[1][0] == "returned"

    def mine():
        frames.clear()
        signal.raise_signal(signal.SIGUSR1)
        request = frames.pop().f_back.f_locals["request"]
        if request[0] in ("returned", "found"):
            cells["send"].cell_contents = fake
        return mend()
    cells["mend_types"].cell_contents = mine


signal.signal(signal.SIGUSR1, lambda n, f: frames.append(f))
signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0003)


class Gen:
    def send(self, outcome):
        outcome.force_result([None])
        raise StopIteration


def add(a, b):
    print(len(taken))
    frames.clear()
    signal.raise_signal(signal.SIGUSR1)
    f = frames[0]
    while f.f_code.co_name != "_multicall":
        f = f.f_back
    f.f_locals["teardowns"].append(Gen())
    return a - b


def mul(a, b):
    return a * b
""",
}
