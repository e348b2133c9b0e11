# SPDX-License-Identifier: Apache-2.0
"""Right patches, and what programs and tests put into classes of the standard library by rights: nothing of it is tampering."""
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
