# SPDX-License-Identifier: Apache-2.0
"""docs/enroot.md names a test for each row of what csbx is measured by: they exist, and none is forgotten."""
import re
from pathlib import Path

TOP = Path(__file__).parents[2]
ROWS = {23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 36, 38, 40, 41, 42, 54, *range(61, 71), 72, 73, 74, 75}


def rows():
    text = (TOP / "docs/enroot.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|$", text, re.M)


def names_in(path):
    return set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M))


def test_every_row_is_there():
    assert [int(r[0]) for r in rows()] == sorted(ROWS)


def test_every_test_exists():
    for number, _, words in rows():
        file = TOP / "tests/integration/test_enroot.py"
        for word in re.split(r"[,;] ", words.replace("what it costs: ", "").replace("in time: ", "")):
            if word.startswith("tests/unit/") or word.startswith("tests/bench/") or word.startswith("docs/"):
                continue  # not part of what is copied for a run
            if "::" in word:
                name, word = word.split("::")
                file = TOP / name if "/" in name else TOP / "tests/integration" / name
            assert word in names_in(file), f"row {number}: {file.name} has no {word}"


def test_reader_finds_what_is_missing():
    """The two above can fail."""
    assert "test_no_such" not in names_in(Path(__file__)) and "test_every_row_is_there" in names_in(Path(__file__))
