# SPDX-License-Identifier: Apache-2.0
"""Every snippet of tests/judge/snippets gets its verdict, whichever way it is run."""
import pytest

import snippets


@pytest.mark.parametrize("snippet", snippets.snippets("run"), ids=repr)
def test_run(csbx, python_image, snippet):
    p = csbx.run("run", "--json", *snippets.DEFAULTS, *snippet.options, "--mount", f"{snippet.path}:/snippet:ro",
                 python_image, *snippet.command, timeout=120)
    result = snippets.parse(p)
    wrong = snippet.wrong("run", result)
    assert not wrong, f"{'; '.join(wrong)}\n{ {k: str(v)[:300] for k, v in result.items()} }"
