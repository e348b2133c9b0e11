# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the judge tier, on top of those of tests/conftest.py."""
import json
import sys
import tempfile
from pathlib import Path

import pytest

import harness

TOP = Path(__file__).resolve().parents[2]  # the checkout, or a copy of what tests need of it
sys.path.insert(0, str(TOP / "cmd/python"))


@pytest.fixture
def client(csbx, monkeypatch):
    """The Python package, told of the csbx under test and its private directories."""
    import csbx as package  # pylint: disable=import-outside-toplevel
    for key, value in csbx.env.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setenv("CSBX", str(harness.BIN / "csbx"))
    monkeypatch.setattr(tempfile, "tempdir", str(csbx.dirs["tmp"]))
    monkeypatch.chdir(csbx.work)
    return package


@pytest.fixture
def running(csbx):
    """running() -> instances that `csbx list` shows."""
    return lambda: json.loads(csbx.ok("list", "--json"))["instances"]
