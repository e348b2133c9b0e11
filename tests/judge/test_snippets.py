# SPDX-License-Identifier: Apache-2.0
"""Every snippet of tests/judge/snippets gets its verdict, whichever way it is run."""
import pytest

import snippets


def check(snippet, way, p):
    result = snippets.parse(p)
    wrong = snippet.wrong(way, result)
    assert not wrong, f"{'; '.join(wrong)}\n{ {k: str(v)[:300] for k, v in result.items()} }"


@pytest.mark.parametrize("snippet", snippets.snippets("run"), ids=repr)
def test_run(csbx, python_image, snippet):
    check(snippet, "run", csbx.run("run", "--json", *snippets.DEFAULTS, *snippet.options, "--mount",
                                   f"{snippet.path}:/snippet:ro", python_image, *snippet.command, timeout=120))


@pytest.mark.parametrize("snippet", snippets.snippets("eval"), ids=repr)
def test_eval(csbx, python_image, snippet):
    check(snippet, "eval", csbx.run("eval", "--image", python_image, "--json", *snippets.DEFAULTS, *snippet.options,
                                    snippet.path, timeout=120))
