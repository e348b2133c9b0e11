# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/judging.md, docs/python.md and docs/lines.md print what these pages say."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(python|sh)([^\n]*)\n(.*?)^```\n(?:\s*```output\n(.*?)^```\n)?", re.M | re.S)
REPO = {"calc.py": "def add(a, b):\n    return a - b\n",
        "test_calc.py": "import pytest\nfrom calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n"
                        "@pytest.mark.parametrize('text', ['a b'])\ndef test_text(text):\n    assert text\n"}
SCRIPTS = {"a.py": "print('hello from a')\n", "b.py": "print('hello from b')\n"}


class Example:
    def __init__(self, page, number, match):
        language, words, self.code, self.output = match.groups()
        self.language, self.words = language, words.split()
        self.name = f"{page}-{number}"

    def __repr__(self):
        return self.name


def examples():
    for page in ("judging", "python", "lines"):
        text = (TOP / f"docs/{page}.md").read_text(encoding="utf-8")
        yield from (Example(page, n + 1, m) for n, m in enumerate(BLOCK.finditer(text)))


def test_there_are_examples():
    found = list(examples())
    assert len(found) >= 12 and sum("before" in e.words for e in found) >= 3


@pytest.mark.parametrize("example", examples(), ids=repr)
def test_example(client, csbx, python_image, suite_image, example):
    for name, text in [*SCRIPTS.items(), *((f"repo/{k}", v) for k, v in REPO.items())]:
        (csbx.work / name).parent.mkdir(exist_ok=True)
        (csbx.work / name).write_text(text, encoding="utf-8")
    (csbx.work / "python.sqsh").symlink_to(python_image)
    (csbx.work / "suite.sqsh").symlink_to(suite_image)
    (csbx.work / "lines.schema.json").symlink_to(TOP / "docs/lines.schema.json")
    (csbx.work / "code").write_text(example.code, encoding="utf-8")
    needs = [w for w in example.words if w.startswith("needs=")]
    if needs:  # a program that csbx stands in for: what can be checked is that it is a script
        check = ["sh", "-n", "code"] if example.language == "sh" else [sys.executable, "-m", "py_compile", "code"]
        assert example.output is None and subprocess.run(check, cwd=csbx.work, check=False).returncode == 0
        return
    import os  # the client fixture has put the variables into our environment
    env = {**os.environ, "PATH": os.path.dirname(os.environ["CSBX"]) + ":" + os.environ["PATH"],
           "PYTHONPATH": str(TOP / "cmd/python"), "PYTHONDONTWRITEBYTECODE": "1"}
    p = subprocess.run([sys.executable if example.language == "python" else "sh", "code"], cwd=csbx.work, env=env,
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    assert p.returncode == 0, p.stdout + p.stderr
    assert example.output is not None, "an example without its output"
    assert p.stdout.rstrip() == example.output.rstrip()
