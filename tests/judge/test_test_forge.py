# SPDX-License-Identifier: Apache-2.0
"""Forgeries of tests/judge/forge: none resolves without being told of."""
import importlib.util
from pathlib import Path

import pytest

# One of each sort; what --strict does with a kind is a matter of the verdict's own tests.
STRICT_TOO = ("rewrites_the_test", "expects_to_fail", "searches_the_heap", "replaces_the_report")
FORGERIES = sorted(p.stem for p in (Path(__file__).parent / "forge").glob("*.py"))


def load(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "forge" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_enough():
    assert len(FORGERIES) >= 25


@pytest.mark.parametrize("name", FORGERIES)
def test_forgery(judge, name):
    forgery = load(name)
    verdict, _, kind = forgery.VERDICT.partition(" ")
    files = {k: v.lstrip("\n") for k, v in forgery.FILES.items()}
    patches = [judge.write(judge.csbx.work / f"own{i}.diff", p) for i, p in enumerate(getattr(forgery, "PATCHES", []))]
    if files != {"calc.py": judge.files["calc.py"]}:
        patches.append(judge.patch(files=files))
    r = judge.judged(*patches, options=["--timeout", "60", *getattr(forgery, "NEEDS", [])])
    seen = {t["kind"] for t in r["tamper"]}
    assert r["status"] != "timeout"
    assert r["patch_applied"] is getattr(forgery, "APPLIES", not hasattr(forgery, "PATCHES")), r["patch_errors"]
    if verdict == "unresolved":
        assert r["resolved"] is False and r["cli"] != 0, r
    else:
        assert kind in seen, (r["tamper"], r["stdout"])
        if r["resolved"] and name in STRICT_TOO:
            strict = judge.judged(*patches, options=["--strict", *getattr(forgery, "NEEDS", [])], code=1)
            assert strict["resolved"] is False
