# SPDX-License-Identifier: Apache-2.0
"""The files of csbx test that run inside containers: old syntax, standard library, few hooks."""
import ast
import re
import sys

import pytest

import harness

FILES = sorted(p for p in (harness.BIN / "harness").glob("csbx_*.py"))


def test_there_are_some():
    assert len(FILES) >= 5


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
    for name in used - {"pytest_testnodedown"}:
        assert hasattr(_pytest.hookspec, name), name
