# SPDX-License-Identifier: Apache-2.0
"""finds the runner's frames by the exceptions of all threads"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import sys
import threading

import pytest


def search():
    for error in list(sys._current_exceptions().values()):
        entry = error[2] if isinstance(error, tuple) else getattr(error, "__traceback__", None)
        while entry:
            frame = entry.tb_frame
            while frame:
                if "item" in frame.f_locals:
                    frame.f_locals["item"].own_markers.append(pytest.mark.xfail.mark)
                frame = frame.f_back
            entry = entry.tb_next


def add(a, b):
    try:
        raise ValueError
    except ValueError:
        thread = threading.Thread(target=search)
        thread.start()
        thread.join()
    return a - b


def mul(a, b):
    return a * b
""",
}
