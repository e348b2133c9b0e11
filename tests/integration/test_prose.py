# SPDX-License-Identifier: Apache-2.0
"""tests/tools/prose.py: long lines of paragraphs and items are found and wrapped, all else stays as it is."""
import subprocess
import sys
from pathlib import Path

PROSE = Path(__file__).resolve().parents[1] / "tools/prose.py"
LONG = "word " * 30 + "`one span  of code` and `another - of these` 1. end"
TEXT = f"""# {LONG}

Short line
stays here.

{LONG}

- {LONG}
- short

| {LONG} |

    {LONG}

```
{LONG}
```
"""


def prose(path, *options):
    p = subprocess.run([sys.executable, PROSE, *options, path], capture_output=True, text=True, check=False)
    return p.returncode, p.stdout


def test_wrapped(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(TEXT)
    code, said = prose(page)
    assert code == 1 and [line.split(":")[1] for line in said.splitlines()] == ["6", "8"], said
    assert prose(page, "--wrap") == (0, "") and prose(page) == (0, "")
    made = page.read_text()
    assert made.split() == TEXT.split() and "Short line\nstays here." in made
    assert f"| {LONG} |" in made and f"    {LONG}" in made and f"```\n{LONG}\n```" in made and f"# {LONG}\n" in made
    assert "`one span  of code`" in made and "`another - of these`" in made and "\n- word" in made and "\n  word" in made
    assert not [line for line in made.splitlines() if line.startswith(("1.", "- of"))]


def test_words(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`nobody` is a user.\nWhoever reads this.\n")
    code, said = prose(page)
    assert code == 1 and said.count("\n") == 1 and ":2: 'Whoever'" in said
