# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: exceptions of the standard library, of packages and of a line's files are the classes that the check has itself."""
import base64

import pytest

from test_eval_told import cause, judge

LIBRARY = (("smtplib.SMTPException('x')", "smtplib.SMTPException"), ("gzip.BadGzipFile('x')", "gzip.BadGzipFile"),
           ("threading.BrokenBarrierError()", "threading.BrokenBarrierError"), ("optparse.OptionValueError('x')", "optparse.OptionValueError"),
           ("xml.sax.SAXException('x')", "xml.sax.SAXException"), ("asyncio.CancelledError()", "asyncio.CancelledError"),
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
