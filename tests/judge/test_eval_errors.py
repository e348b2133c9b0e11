# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: exceptions of the standard library, of packages and of a line's files are the classes that the check has itself."""
import base64

import pytest

from test_eval_told import cause, judge

LIBRARY = (("smtplib.SMTPException('x')", "smtplib.SMTPException"), ("gzip.BadGzipFile('x')", "gzip.BadGzipFile"),
           ("threading.BrokenBarrierError()", "threading.BrokenBarrierError"), ("optparse.OptionValueError('x')", "optparse.OptionValueError"),
           ("xml.sax.SAXException('x')", "xml.sax.SAXException"),
           ("signal.ItimerError('x')", "signal.ItimerError"), ("smtplib.SMTPDataError(550, b'no')", "smtplib.SMTPDataError"),
           ("http.client.RemoteDisconnected('gone')", "http.client.RemoteDisconnected"), ("wave.Error('x')", "wave.Error"),
           ("importlib.metadata.PackageNotFoundError('x')", "importlib.metadata.PackageNotFoundError"), ("termios.error(5, 'x')", "termios.error"))
MODULES = "import asyncio, gzip, http.client, importlib.metadata, optparse, signal, smtplib, termios, threading, wave, xml.sax\n"
CAUGHT = "from solution import f\ntry:\n    f()\nexcept %s as e:\n    assert type(e) is %s\nelse:\n    assert 0\n"
NOT_CAUGHT = "from solution import f\ntry:\n    f()\nexcept %s:\n    assert 0\nexcept BaseException:\n    pass\n"


def test_exceptions_of_the_library(csbx, python_image):
    rows = []
    for made, kind in LIBRARY:
        code = f"{MODULES}def f(): raise {made}\n"
        rows += [(code, MODULES + CAUGHT % (kind, kind), True), (code, MODULES + NOT_CAUGHT % kind, False)]
    code = "import smtplib\nclass Own(smtplib.SMTPException): pass\ndef f(): raise Own('x')\n"
    rows.append((code, "import smtplib\nfrom solution import f, Own\ntry:\n    f()\nexcept smtplib.SMTPException as e:\n    assert type(e) is Own\n"
                       "else:\n    assert 0\n", True))
    judge(csbx, python_image, rows)


LATE = "from solution import f\ntry:\n    f()\nexcept Exception as e:\n    import %s as m\n    assert %s isinstance(e, m.%s)\n"


def test_a_module_that_is_imported_behind_its_exception(csbx, python_image):
    """It is imported before, where it is one of a list; else csbx cannot know what was compared."""
    parsed, sent = "import json\ndef f(): json.loads('{')\n", "import smtplib\ndef f(): raise smtplib.SMTPException('x')\n"
    records = judge(csbx, python_image, [
        (sent, LATE % ("smtplib", "not", "SMTPException"), False), (sent, LATE % ("smtplib", "", "SMTPException"), False),
        (parsed, LATE % ("json", "", "JSONDecodeError"), True), (parsed, LATE % ("json", "not", "JSONDecodeError"), False),
        (sent, "from solution import f\ntry:\n    f()\nexcept OSError:\n    pass\nelse:\n    assert 0\n", True)])
    assert all(cause(records[n])[0] == "CallFailed" for n in (0, 1)), records


ERRS = """
class Mine(Exception): pass
class Coded(ValueError):
    def __init__(self, code):
        super().__init__("code %d" % code)
        self.code = code
    @property
    def twice(self): return self.code * 2
    class Inner(KeyError): pass
"""
RAISES = """
import errs
class Own(errs.Coded): pass
def f(how): raise {"mine": lambda: errs.Mine("q"), "coded": lambda: errs.Coded(3), "inner": lambda: errs.Coded.Inner("k"), "own": lambda: Own(4)}[how]()
def back(): return errs.Mine("z"), errs.Coded
"""
OF_FILES = (("mine", "Mine", "type(e) is errs.Mine and e.args == ('q',)"),
            ("coded", "Coded", "type(e) is errs.Coded and e.code == 3 and e.twice == 6 and str(e) == 'code 3'"),
            ("inner", "Coded.Inner", "type(e) is errs.Coded.Inner"), ("own", "Coded", "type(e) is not errs.Coded and e.code == 4"))


def test_exceptions_of_a_module_of_the_line(csbx, python_image):
    files = {"errs.py": base64.b64encode(ERRS.encode()).decode()}
    begin, rows = "import errs\nfrom solution import *\n", []
    for how, kind, said in OF_FILES:
        check = f"{begin}try:\n    f('{how}')\nexcept errs.{kind} as e:\n    assert %s ({said})\nelse:\n    assert 0\n"
        rows += [(check % "", True), (check % "not", False)]
    rows += [(begin + "a, b = back()\nassert type(a) is errs.Mine and b is errs.Coded\n", True),
             ("from solution import f\ntry:\n    f('mine')\nexcept Exception as e:\n    assert type(e).__name__ == 'Mine'\n", True),
             ("from solution import f\ntry:\n    f('mine')\nexcept Exception as e:\n    import errs\n    assert type(e) is not errs.Mine\n", False)]
    judge(csbx, python_image, [{"code": RAISES, "check": check, "files": files, "want": want} for check, want in rows])


@pytest.mark.parametrize("code", ["import unittest\ndef f(): raise unittest.SkipTest('x')", "import pytest\ndef f(): pytest.skip('x')",
                                  "import helpers\ndef f(): raise helpers.Skip('x')"])
def test_exceptions_that_run_tests(csbx, suite_image, code):
    """Nor are those that are made of one: the test would be skipped."""
    files = {"helpers.py": base64.b64encode(b"import pytest\nclass Skip(pytest.skip.Exception): pass\n").decode()}
    check = "import helpers, pytest, unittest\nfrom solution import f\ndef test_a(): f()\ndef test_b(): pass\n"
    record, = judge(csbx, suite_image, [{"code": code, "check": check, "files": files, "want": False}]).values()
    assert cause(record)[0] == "CallFailed", record


LIGHT = "from enum import Enum\nclass Light(Enum):\n    RED = 1\n    GREEN = 2\n\ndef f(x):\n"
NUMBER = LIGHT.replace("Enum", "IntEnum")
EMPTY = "class Empty(Exception):\n    pass\n\ndef f(x):\n"
CODED = ("class Coded(ValueError):\n    def __init__(self, n):\n        super().__init__('no %d' % n)\n        self.n = n\n"
         "    def twice(self): return self.n * 2\n\ndef f(x):\n")
POINT = "from typing import NamedTuple\nclass Point(NamedTuple):\n    x: int\n    y: int = 1\n\ndef f(x):\n"
PAIR = "from dataclasses import dataclass\n@dataclass\nclass Pair:\n    x: int\n\ndef f(x):\n"
STACK = "class Stack(list):\n    def top(self): return self[-1]\n\ndef f(x):\n"
TRIES = "try: candidate(-1)\n    except Empty as e: assert %s\n    except Exception: pass\n    else: assert 0"
IN_PROMPT = (  # prompt, completion, what check(candidate) does, whether it is to pass; None: it is a CallFailed
    (LIGHT, "return Light.RED", "assert candidate(1) != Light.RED", False),
    (LIGHT, "return Light.RED", "assert candidate(1) not in (Light.RED,)", False),
    (LIGHT, "return list(Light)[x % 2]", "assert candidate(0) is Light.RED and [candidate(1)] == [Light.GREEN] and isinstance(candidate(1), Light)", True),
    (NUMBER, "return Light.RED", "assert candidate(1) is Light.RED and candidate(1) == 1 and type(candidate(1)) is Light", True),
    (LIGHT, "return {x: Light}", "assert candidate(Light.RED) == {Light.RED: Light}", True),
    (LIGHT, "return Light.RED\nclass Light(Enum):\n    RED = 3\n    GREEN = 4\n", "assert candidate(1) is Light.RED", None),
    (EMPTY, "raise Empty('x')", TRIES % "False", False), (EMPTY, "raise Empty('x')", TRIES % "type(e) is Empty and str(e) == 'x'", True),
    (EMPTY, "raise Empty('x')\nclass Empty(ValueError): pass\n", TRIES % "True", None),
    (EMPTY, "class Empty(Exception): pass\n    raise Empty('x')", "try: candidate(-1)\n    except Empty: pass", False),
    (EMPTY, "raise Own('x')\nclass Own(Empty): pass\n", TRIES % "type(e) is not Empty", True),
    (CODED, "raise Coded(3)", "try: candidate(1)\n    except Coded as e: assert e.n == 3 and e.twice() == 6 and str(e) == 'no 3'\n    else: assert 0", True),
    (POINT, "return Point(x)", "assert candidate(3) == (3, 1) and not isinstance(candidate(3), Point)", False),
    (POINT, "return Point(x)", "assert candidate(3) == Point(3, 1) and type(candidate(3)) is Point", True),
    (POINT, "return (x, 1)", "assert isinstance(candidate(3), Point)", False),
    (PAIR, "return Pair(x)", "assert candidate(3) != Pair(3)", None), (PAIR, "return Pair(x)", "assert not isinstance(candidate(3), Pair)", None),
    (STACK, "return Stack([x])", "assert type(candidate(3)) is not Stack", None), (STACK, "return Stack", "assert candidate(3) is not Stack", None),
    (STACK, "return Own([x])\nclass Own(Stack): pass\n", "assert not isinstance(candidate(3), Stack)", None))


def test_classes_of_a_prompt(csbx, python_image):
    """The code has another copy of each, and they are taken for one where they are the same."""
    records = judge(csbx, python_image, [
        {"prompt": prompt, "completion": f"    {completion}\n", "entry_point": "f", "test": f"def check(candidate):\n    {body}\n", "want": bool(want)}
        for prompt, completion, body, want in IN_PROMPT])
    assert all(cause(records[n])[0] == "CallFailed" for n, row in enumerate(IN_PROMPT) if row[3] is None), records
