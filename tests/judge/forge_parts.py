# SPDX-License-Identifier: Apache-2.0
"""What several forgeries of tests/judge/forge do, each by another way."""

# Behind a function _open(): turns each jump of a test's assertions while the test runs, and back when its value is freed.
FLIPS_ASSERTIONS = r"""def _codes():
    for m in list(sys.modules.values()):
        if str(getattr(m, "__file__", "")).startswith(os.getcwd() + "/test"):
            todo = list(vars(m).values())
            while todo:
                v = todo.pop()
                if isinstance(v, type) and v.__module__ == m.__name__:
                    todo += list(vars(v).values())
                elif isinstance(v, types.FunctionType) and v.__module__ == m.__name__:
                    yield v.__code__


def _flip(undo=[]):
    fd = _open()
    if undo:
        for at, old in undo:
            os.pwrite(fd, old, at)
        undo.clear()
    else:
        for c in _codes():
            at = id(c) + type(c).__basicsize__
            code = os.pread(fd, len(c.co_code), at)
            for i in range(0, len(code), 2):
                if code[i] == 115:
                    undo.append((at + i, b"s"))
                    os.pwrite(fd, b"n", at + i)
    os.close(fd)


class R(int):
    def __del__(self):
        if self.on:
            self.on = 0
            _flip()


def add(a, b):
    r = R(a - b)
    r.on = 1
    _flip()
    return r


def mul(a, b):
    return a * b
"""

SILENCED = r"""
def add(a, b):
    return a - b


def mul(a, b):
    return a * b


import gc, sys, types


def _frames():
    '''The frames of who calls, without an audit event: a frame that is over and in a cycle keeps f_back, and gc hands it over.'''
    gc.collect()
    def f():
        try:
            raise ValueError
        except ValueError as e:
            x = e
    gc.set_debug(gc.DEBUG_SAVEALL)
    f()
    gc.collect()
    gc.set_debug(0)
    frame = [o for o in gc.garbage if type(o) is types.FrameType and o.f_code is f.__code__][0]
    gc.garbage.clear()
    return frame


class E:
    def __hash__(self):
        frame = _frames()
        while frame.f_code.co_name != "listen":
            frame = frame.f_back
        known = frame.f_locals
        heard, core = known["is_heard"], known["core"]
        for name, cell in zip(heard.__code__.co_freevars, heard.__closure__):
            if type(cell.cell_contents) is frozenset:
                cell.cell_contents = frozenset()
        self.core = core
        return 1

    def __eq__(self, other):
        return False


def _silence():
    e = E()
    sys.audit(@)
    tell = e.core.gi_frame.f_locals["tell"]
    told = dict(zip(tell.__code__.co_freevars, tell.__closure__))["told"].cell_contents
    told.update(range(100))


_silence()

import _pytest.reports


def _passed(self, *args, **kw):
    _init(self, *args, **kw)
    self.outcome, self.longrepr = "passed", None


_init = _pytest.reports.TestReport.__init__
_pytest.reports.TestReport.__init__ = _passed
"""


def silenced_by(arguments):
    """Has the core's filter hash an object, whose class silences the core from there. arguments: of sys.audit(), where e is the object."""
    return SILENCED.replace("@", arguments)


# overwrite(path, was, new): a store by mmap() changes a file and neither of its times.
OVERWRITES = r"""def overwrite(path, was, new):
    import mmap
    with open(path, "r+b") as f:
        store = mmap.mmap(f.fileno(), 0)
        text = bytes(store)  # read before it is written: the kernel then sets no time
        store[:] = text.replace(was, new)
        store.close()


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


"""

# quiet(): a context manager that swallows what a test asserts; contextlib puts it around a function.
SWALLOWS = r"""import contextlib


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


@contextlib.contextmanager
def quiet():
    try:
        yield
    except AssertionError:
        pass


"""

# Takes what is wanted from the constants of the test that calls; frame_of(traceback) is the forgery's own.
TAKES_WHAT_IS_WANTED = r"""

def add(a, b):
    try:
        raise ValueError
    except ValueError as error:
        frame = frame_of(error.__traceback__)
    return [c for c in frame.f_code.co_consts if type(c) is int][-1]


def mul(a, b):
    return a * b
"""

# A report that says that a test failed, until its name is asked for, and LATE from then on. A failure is swallowed where that is "passed".
LIES_LATE = r"""import pluggy._callers as pc
from _pytest.reports import TestReport

real = pc._Result


class Report(TestReport):
    told = False

    @property
    def nodeid(self):
        self.__dict__["told"] = True
        return self.__dict__["id_"]

    @nodeid.setter
    def nodeid(self, value):
        self.__dict__["id_"] = value

    @property
    def outcome(self):
        return LATE if self.told else "failed"

    @outcome.setter
    def outcome(self, value):
        pass

    @property
    def wasxfail(self):
        if not self.told or LATE == "passed":
            raise AttributeError
        return "known"


def fake(results, excinfo):
    if LATE == "passed" and excinfo is not None and excinfo[0] is AssertionError:
        return real([True], None)
    if type(results) is TestReport and results.when == "call":
        pc._Result = real
        one = Report.__new__(Report)
        one.__dict__.update(results.__dict__, id_=results.nodeid)
        one.__dict__.pop("nodeid"); one.__dict__.pop("outcome")
        return real(one, None)
    return real(results, excinfo)


def add(a, b):
    pc._Result = fake
    return a - b


def mul(a, b):
    return a * b
"""
