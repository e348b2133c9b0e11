# SPDX-License-Identifier: Apache-2.0
"""csbx test tells of no hook that programs are to set, and one finding makes no other."""
import pytest

import repositories

HOOKS = {
    "sys.excepthook": "import sys\n\n\ndef hook(*args):\n    print(*args)\n\n\nsys.excepthook = hook\n",
    "sys.unraisablehook": "import sys\n\n\ndef hook(*args):\n    print(*args)\n\n\nsys.unraisablehook = hook\n",
    "sys.displayhook": "import sys\n\n\ndef hook(value):\n    print(value)\n\n\nsys.displayhook = hook\n",
    "threading.excepthook": "import threading\n\n\ndef hook(*args):\n    print(*args)\n\n\nthreading.excepthook = hook\n",
    "warnings.formatwarning": "import warnings\n\n\ndef line(message, *args, **more):\n    return str(message)\n\n\nwarnings.formatwarning = line\n",
    "logging.setLoggerClass": "import logging\n\n\nclass Log(logging.Logger):\n    pass\n\n\nlogging.setLoggerClass(Log)\nlogging.getLogger('calc').info('x')\n",
    "logging.setLogRecordFactory": "import logging\n\n\ndef make(*args, **more):\n    return logging.LogRecord(*args, **more)\n\n\n"
                                   "logging.setLogRecordFactory(make)\n",
    "logging.Logger.trace": "import logging\n\n\ndef trace(self, message, *args, **more):\n    self.log(5, message, *args, **more)\n\n\n"
                            "logging.addLevelName(5, 'TRACE')\nlogging.Logger.trace = trace\nlogging.getLogger('calc').trace('x')\n",
    "logging.lastResort": "import logging\n\n\nclass Last(logging.StreamHandler):\n    pass\n\n\nlogging.lastResort = Last()\n",
}
LISTS = ("--fail-to-pass", repositories.TARGET, "--pass-to-pass", repositories.STILL)
FIX = repositories.FILES["calc.py"].replace("a - b", "a + b")
CASES = ("import unittest\n\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n")


@pytest.mark.parametrize("name", HOOKS)
def test_public_hooks(judge, name):
    r = judge(*LISTS, "--strict", "--patch", judge.patch(files={"calc.py": HOOKS[name] + "\n\n" + FIX}), code=0)
    assert r["resolved"] is True and r["tamper"] == [], r["tamper"]


@pytest.mark.parametrize("name", HOOKS)
def test_public_hooks_of_unittest(csbx, suite_image, name):
    judge = repositories.Judge(csbx, suite_image, {"calc.py": repositories.FILES["calc.py"], "test_calc.py": CASES})
    r = judge("--runner", "unittest", "--strict", "--patch", judge.patch(files={"calc.py": HOOKS[name] + "\n\n" + FIX}), code=0)
    assert r["all_passed"] is True and r["tamper"] == [], r["tamper"]


def test_hook_of_doctest(judge):
    """Where doctests are asked for, sys.displayhook is what they are compared by."""
    r = judge(*LISTS, "--patch", judge.patch(files={"calc.py": HOOKS["sys.displayhook"] + "\n\n" + FIX}), args=("--doctest-modules",))
    assert "library_modified" in {t["kind"] for t in r["tamper"]}


@pytest.mark.parametrize("code, kind", [("import sys\n\nsys.addaudithook(lambda event, args: None)\n", "trace"),
                                        ("import copy\nimport re\n\ncopy._deepcopy_dispatch[type(re.compile(''))] = lambda one, _: one\n", "library_modified")],
                         ids=["audit", "deepcopy"])
def test_one_finding_makes_no_other(csbx, suite_image, code, kind):
    """What was found by then says nothing of the files of tests that are read after it."""
    tests = "from calc import add\n\n\ndef test_%s():\n    assert add(1, 2) == 3\n"
    judge = repositories.Judge(csbx, suite_image, {"calc.py": repositories.FILES["calc.py"], "tests/test_a.py": tests % "a", "tests/test_b.py": tests % "b"})
    r = judge("--patch", judge.patch(files={"calc.py": code + "\n\n" + FIX}), code=0)
    assert r["all_passed"] is True and {t["kind"] for t in r["tamper"]} == {kind}, r["tamper"]


USED = """
import logging
import sys

old = logging.getLogRecordFactory()


class Log(logging.Logger):
    def makeRecord(self, *args, **more):
        return super().makeRecord(*args, **more)


def record(*args, **more):
    made = old(*args, **more)
    made.request = "1"
    return made


def hook(*error):
    return sys.__excepthook__(*error)


def install():
    logging.setLoggerClass(Log)
    logging.setLogRecordFactory(record)
    sys.excepthook = hook
"""
USERS = """
import logging
import sys

import calc


def test_mul():
    assert calc.mul(2, 3) == 6


def test_add(caplog):
    assert sys.excepthook is sys.__excepthook__
    calc.install()
    logging.getLogger("of.calc").warning("x")
    assert caplog.records[0].request == "1" and calc.add(1, 2) == 3
"""


def test_hooks_that_tests_use(csbx, suite_image):
    judge = repositories.Judge(csbx, suite_image, {"calc.py": repositories.FILES["calc.py"], "tests/test_calc.py": USERS.lstrip("\n")})
    r = judge(*LISTS, "--strict", "--patch", judge.patch(files={"calc.py": USED.lstrip("\n") + "\n\n" + FIX}), code=0)
    assert r["resolved"] is True and r["tamper"] == [], r["tamper"]
