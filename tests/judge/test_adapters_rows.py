# SPDX-License-Identifier: Apache-2.0
"""Every row of the table of differences in docs/judging.md, as it was and as it is."""
import re
from pathlib import Path

import pytest

import rows_coder
import rows_execution
import rows_executor
import rows_sandbox
from rows import ROWS, Both

PAGE = Path(__file__).resolve().parents[2] / "docs/judging.md"
WHERE = rows_coder, rows_execution, rows_executor, rows_sandbox


@pytest.mark.parametrize("which", ROWS, ids=lambda w: ROWS[w].__name__)
def test_row(client, python_image, busybox_image, judge, csbx, which):
    ROWS[which](Both(client, python_image, judge, csbx.work, busybox_image))


def test_the_table_has_these_rows():
    part = PAGE.read_text(encoding="utf-8").split("## Differences from before\n")[1].split("\n# ")[0]
    found = re.findall(r"^\| (`\w+`) \| (.+?) \| .+ \| .+ \| .+ \|$", part, re.M)
    assert sorted(found) == sorted(ROWS)
