# SPDX-License-Identifier: Apache-2.0
"""The Python package: eval and test."""
import asyncio
import json

import pytest

import snippets
from misbehave import differences
from repositories import STILL, TARGET

TIMES = ("wall_s", "memory_peak_bytes")  # a machine with four at a time is late


def options_of(snippet):
    words = [*snippets.DEFAULTS, *snippet.options]
    given = {w[2:].replace("-", "_"): v for w, v in zip(words[::2], words[1::2])}
    given["timeout"] = float(given["timeout"])
    if "ulimit" in given:
        given["ulimit"] = dict([given["ulimit"].split("=")])
    return given


# --- eval -----------------------------------------------------------------------------------------

def test_snippets(client, python_image):
    """The verdicts of csbx eval are those of the package, several at a time."""
    every = snippets.snippets("eval")
    with client.Pool(python_image, workers=4) as pool:
        results = [pool.submit_eval(s.path.read_bytes(), **options_of(s)) for s in every]
    for snippet, future in zip(every, results):
        words = [w for way in ("", "eval") for w in snippet.expect[way] if w[0] != "exit" and w[0] not in TIMES]
        result = future.result()
        assert not differences(words, result.to_dict()), snippet
        if result.encoding == "utf-8":
            assert not differences([w for w in words if "." not in w[0]], vars(result)), snippet


def test_eval(client, python_image):
    result = client.eval("import sys\nprint(sys.argv[1:], input())", image=python_image, args=["a b", "--json"], stdin="line\n")
    assert result.stdout == "['a b', '--json'] line\n" and result.completed and result.success and result.check() is result
    result = client.eval("print(1)\nx = [\n    1 / 0]", image=python_image)
    assert (result.completed, result.success, result.stdout) == (False, False, "1\n")
    assert result.error_summary == client.ErrorSummary("ZeroDivisionError", "division by zero", 3)
    assert str(result.error_summary) == "ZeroDivisionError: division by zero" and len(result.feedback) == 1
    with pytest.raises(client.ProgramError):
        result.check()
    result = client.eval("import sys; sys.exit(0)", image=python_image)
    assert (result.status, result.exit_code, result.completed, result.success) == ("exited", 0, False, False)


def test_eval_defaults(client, python_image, monkeypatch):
    client.configure(image=python_image)
    try:
        assert client.eval("print(2)").stdout == "2\n"
    finally:
        from csbx import program
        monkeypatch.setattr(program._Settings, "image", None)
    monkeypatch.setenv("PYCSBX_IMAGE", str(python_image))
    result = client.eval("print(3)")
    assert result.stdout == "3\n" and result.timeout_s == 5 and result.memory_limit_bytes == 256 << 20
    monkeypatch.delenv("PYCSBX_IMAGE")
    with pytest.raises(client.Refused, match="python"):
        client.eval("print(4)")


def test_eval_of_what_is_not_allowed(client, python_image):
    result = client.eval("import socket\nprint(1)", image=python_image, deny_import=["http", "socket"], deny_call=["eval"])
    assert result.status == "policy_violation" and not result.passed and "socket" in result.feedback[0] and result.stdout == ""
    assert client.eval("print(1)", image=python_image, deny_import=["*"]).success
    assert client.eval("import math", image=python_image, deny_import="*").status == "policy_violation"


def test_eval_with_asyncio(client, python_image):
    async def main():
        results = await asyncio.gather(*(client.aio.eval(f"print({n})", image=python_image, timeout=60) for n in range(20)))
        assert [r.stdout for r in results] == [f"{n}\n" for n in range(20)]
        task = asyncio.ensure_future(client.aio.eval("import time; time.sleep(1300)", image=python_image, timeout=1300))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    asyncio.run(main())


# --- test -----------------------------------------------------------------------------------------

def test_a_repository(client, judge):
    fix = judge.fix()
    for patch in (fix, fix.read_text(encoding="utf-8"), [fix.read_bytes()]):
        result = client.test(judge.repo, image=judge.image, patches=patch, fail_to_pass=[TARGET], pass_to_pass=[STILL],
                             timeout=120)
        assert result.resolved and result.passed and result.patch_applied
        assert result.fail_to_pass == client.Outcome([TARGET], []) and result.tests == {TARGET: "passed", STILL: "passed"}
        assert not result.tamper and not result.patch_errors
    result = client.test(judge.repo, image=judge.image, fail_to_pass=[TARGET], timeout=120)
    assert result.resolved is False and not result.passed and result.fail_to_pass.failure == [TARGET]
    assert json.loads(json.dumps(result.to_dict()))["tests"] == {TARGET: "failed"}


def test_a_whole_suite(client, judge):
    result = client.test(judge.repo, image=judge.image, args=["-k", "test_text or test_mul"], timeout=120)
    assert result.passed and result.all_passed and result.resolved is None and set(result.tests.values()) == {"passed"}
    assert "tests/test_calc.py::test_text[a/b::c]" in result.tests and set(result.durations_s) == set(result.tests)


def test_a_patch_that_does_not_apply(client, judge):
    for patch in ("", "nonsense", judge.patch(files={"calc.py": "x\n"}).read_text().replace("return a", "return b")):
        result = client.test(judge.repo, image=judge.image, patches=patch, fail_to_pass=[TARGET], timeout=120)
        assert result.patch_applied is False and result.resolved is False and result.patch_errors[0].message, patch


def test_wrong_arguments(client, judge):
    with pytest.raises(TypeError):
        client.test(judge.repo, image=judge.image, fail_to_pass=TARGET)
    with pytest.raises(TypeError):
        client.test(judge.repo, image=judge.image, name="x")
    with pytest.raises(client.Refused, match="repo"):
        client.test(image=judge.image)
    with pytest.raises(client.Refused):
        client.test("./no-such-directory", image=judge.image)


def test_with_asyncio(client, judge):
    result = asyncio.run(client.aio.test(judge.repo, image=judge.image, patches=judge.fix(), fail_to_pass=[TARGET], timeout=120))
    assert result.resolved
