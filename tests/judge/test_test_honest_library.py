# SPDX-License-Identifier: Apache-2.0
"""Right patches, and what programs and tests put into classes of the standard library by rights: nothing of it is tampering."""
import pytest

import repositories

TESTS = """import pathlib
import subprocess
from unittest import mock

from calc import add, mul


def test_add(monkeypatch, tmp_path):
    monkeypatch.setattr(pathlib.Path, "exists", pathlib.Path.is_absolute)
    assert add(1, 2) == 3 and (tmp_path / "x").exists()


def test_mul(tmp_path):
    assert mul(2, 3) == 6 and not (tmp_path / "x").exists()


@mock.patch.object(pathlib.PosixPath, "is_dir", pathlib.PosixPath.is_absolute)
@mock.patch.object(subprocess.Popen, "wait")
def test_mock(wait, tmp_path):
    assert (tmp_path / "x").is_dir()
"""
OLD = """import argparse
import logging
import time

clock = time.gmtime
argparse.HelpFormatter._split_lines = argparse.HelpFormatter._fill_text


class Handler(logging.Handler):
    emit = logging.Handler.handleError
"""


def test_what_is_put_into_classes_of_the_library(csbx, suite_image):
    files = {"calc.py": repositories.FILES["calc.py"], "tests/test_calc.py": TESTS, "old.py": OLD, "tests/conftest.py": "import old\n"}
    files["calc.py"] = "from old import clock\n\n\n" + files["calc.py"]
    judge = repositories.Judge(csbx, suite_image, files)
    fixed = "import logging\n" + files["calc.py"].replace("a - b", "a + b") + "\n\nlogging.Formatter.converter = clock\n"
    patch = judge.patch(files={"calc.py": fixed})
    r = judge("--strict", "--patch", patch, "--fail-to-pass", repositories.TARGET, "--pass-to-pass", "tests/test_calc.py", code=0)
    assert r["resolved"] and r["tamper"] == []


HOOKS = {
    "excepthook": (r"""
import sys


def handle(kind, value, traceback):
    sys.__excepthook__(kind, value, traceback)


def install():
    sys.excepthook = handle
""", r"""
import sys

import calc


def test_hook(monkeypatch):
    assert sys.excepthook is sys.__excepthook__
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    calc.install()
    assert sys.excepthook is calc.handle
"""),
    "records": (r"""
import logging

first = logging.getLogRecordFactory()


def make(*args, **kwargs):
    record = first(*args, **kwargs)
    record.request = "1"
    return record


class Logger(logging.Logger):
    def makeRecord(self, *args, **kwargs):
        record = super().makeRecord(*args, **kwargs)
        record.more = "2"
        return record


def install():
    logging.setLogRecordFactory(make)
    logging.setLoggerClass(Logger)
""", r"""
import logging

import calc


def test_hook(caplog):
    calc.install()
    logging.getLogger("a new one").warning("words")
    assert [(r.request, r.more) for r in caplog.records] == [("1", "2")]
""")}


@pytest.mark.parametrize("name", HOOKS)
def test_hooks_that_programs_set(csbx, suite_image, name):
    """As the documentation of Python shows them: none of these is handed a frame."""
    code, tests = HOOKS[name]
    judge = repositories.Judge(csbx, suite_image, {"calc.py": "def install():\n    pass\n", "tests/test_calc.py": tests})
    r = judge("--strict", "--patch", judge.patch(files={"calc.py": code}), "--fail-to-pass", "tests/test_calc.py::test_hook", code=0)
    assert r["resolved"] and r["tamper"] == []
