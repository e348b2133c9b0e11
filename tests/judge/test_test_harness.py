# SPDX-License-Identifier: Apache-2.0
"""The files of csbx eval and test that run inside containers: old syntax, standard library, few hooks."""
import ast
import re
import sys

import pytest

import harness

FILES = sorted((harness.BIN / "harness").glob("*.py"))


def test_there_are_some():
    assert {"csbx_pytest.py", "cases.py", "check.py", "frozen.py", "lint.py", "literal.py", "script.py"} <= {p.name for p in FILES}


def texts_of_code(tree):
    """Texts of several lines that are assigned: the harness compiles them when it needs them."""
    values = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    return [v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str) and "\n" in v.value]


def test_what_is_compiled_later():
    """One text at least: the two lists are no empty ones."""
    texts = [t for p in FILES for t in texts_of_code(ast.parse(p.read_text(encoding="utf-8")))]
    for text in texts:
        ast.parse(text, feature_version=(3, 6))
    assert texts


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_syntax_and_imports(path):
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 6))
    own = {p.stem for p in FILES}
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.NamedExpr, ast.Match)), node.lineno
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names or top in own or top in ("pytest", "_pytest"), name


def test_the_hooks_are_named():
    """Those that are implemented are those that the head of the file lists, and pytest has them all."""
    import _pytest.hookspec
    text = (harness.BIN / "harness/csbx_pytest.py").read_text(encoding="utf-8")
    head = ast.get_docstring(ast.parse(text))
    used = set(re.findall(r"def (pytest_\w+)\(self", text))
    assert used == set(re.findall(r"pytest_\w+", head))
    for name in used:
        assert hasattr(_pytest.hookspec, name), name


def words_of(monkeypatch):
    monkeypatch.syspath_prepend(str(harness.BIN / "harness"))
    import csbx_texts
    return csbx_texts.says


@pytest.mark.parametrize("text, is_said", [
    ("m.check = f", True), ("m.check\t =f", True), ("m.check == f", False), ("m.check=f", True), ("m.check(f)", False), ("check = f", False),
    ("m.checked = f", False), ("patch('a.check')", True), ('x = "check"', False), ('setattr(m, "check", f)', True), ("setattr(m, 'check', f)", True),
    ('setattr(m, "checked", f)', False), ("def f():\n    global check\n", True), ("def f():\n    global a, check, b", True), ("global checked", False),
    ("# global check", False), ("x = 1\n global a,check  # why", True), ("", False), ("check", False), ("'check", False)])
def test_words_for_replacing(monkeypatch, text, is_said):
    assert words_of(monkeypatch)(text.encode(), "check") is is_said


def test_what_has_no_dict(monkeypatch):
    """Classes in C that were not used yet, in Python 3.8 and 3.9."""
    monkeypatch.syspath_prepend(str(harness.BIN / "harness"))
    import csbx_state
    assert csbx_state.class_names(int, lambda kind: None) == {} and "real" in csbx_state.class_names(int)
    assert csbx_state.module_names(sys, lambda module: None) == {} and csbx_state.module_names(sys) is vars(sys)
