# SPDX-License-Identifier: Apache-2.0
"""csbx test --isolate: words and acts of one test's process count for that test."""
from repositories import FIX, STILL, TARGET

TESTS = """from calc import add, mul


def test_mul():
    assert mul(2, 3) == 6


def test_add():
    assert add(1, 2) == 3
"""
REMEMBERS = """seen = []


def add(a, b):
    return a + b if seen else a - b


def mul(a, b):
    seen.append(a)
    return a * b
"""
LEAVES_A_FILE = REMEMBERS.replace("seen.append(a)", "open('/tmp/seen', 'w')").replace("if seen", "if __import__('os').path.exists('/tmp/seen')")
KEEP = "import holder\n\n\ndef pytest_sessionstart(session):\n    holder.session = session\n"
SPEAKS_FOR_ANOTHER = """import holder
import _pytest.reports


def add(a, b):
    return a - b


def mul(a, b):
    config = holder.session.config
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "CsbxReporter":
            for when in ("setup", "call", "teardown"):
                report = _pytest.reports.TestReport("tests/test_calc.py::test_add", ("", 0, ""), {}, "passed", None, when, duration=0)
                exec(compile("f(r)", "<string>", "exec"), {"f": plugin.pytest_runtest_logreport, "r": report})
    return a * b
"""


def prepared(judge, calc):
    judge.files["tests/test_calc.py"] = TESTS
    judge.write(judge.repo / "tests/test_calc.py", TESTS)
    return judge.patch(files={"calc.py": calc})


def test_a_patch_that_repairs(judge):
    r = judge.judged(prepared(judge, FIX), options=["--isolate", "--strict"], code=0)
    assert r["resolved"] is True and r["tamper"] == [] and r["completed"] is True
    assert r["tests"] == {TARGET: "passed", STILL: "passed"} and r["patch_errors"] == [] and r["patch_tool"] == "git"
    assert r["runner"]["name"] == "pytest" and r["fail_to_pass"]["success"] == [TARGET]


def test_what_one_test_leaves_helps_no_other(judge):
    for calc in (REMEMBERS, LEAVES_A_FILE):
        patch = prepared(judge, calc)
        assert judge.judged(patch, code=0)["resolved"] is True
        r = judge.judged(patch, options=["--isolate"], code=1)
        assert r["resolved"] is False and r["tests"] == {TARGET: "failed", STILL: "passed"}


def test_no_test_speaks_for_another(judge):
    for name, text in (("holder.py", "session = None\n"), ("conftest.py", KEEP)):
        judge.write(judge.repo / name, text)
    r = judge.judged(prepared(judge, SPEAKS_FOR_ANOTHER), options=["--isolate"], code=1)
    assert r["resolved"] is False and r["tests"] == {TARGET: "failed", STILL: "passed"}


def test_ids_of_all_kinds(judge):
    prefix = "tests/test_calc.py::test_text[x"
    r = judge("--patch", judge.fix(), "--isolate", "--fail-to-pass", TARGET, "--pass-to-pass", prefix, "--pass-to-pass", STILL,
              "--pass-to-pass", "tests/none.py::test", code=1)
    assert sorted(r["tests"]) == sorted([TARGET, STILL, prefix + " y]", prefix + " z]"])
    assert r["pass_to_pass"]["failure"] == ["tests/none.py::test"] and r["fail_to_pass"]["failure"] == []


def test_a_limit_is_of_one_test(judge):
    judge.write(judge.repo / "tests/test_slow.py", "import time\ndef test_slow():\n    time.sleep(1000)\n")
    r = judge("--patch", judge.fix(), "--isolate", "--timeout", "10", "--fail-to-pass", TARGET, "--pass-to-pass",
              "tests/test_slow.py::test_slow", "--pass-to-pass", STILL, code=124)
    assert r["status"] == "timeout" and r["resolved"] is False
    assert r["fail_to_pass"]["success"] == [TARGET] and r["pass_to_pass"]["success"] == [STILL]


def test_one_refusal_is_enough(judge):
    bad = judge.write(judge.csbx.work / "bad.diff", judge.fix().read_text().replace("-    return a - b", "-    return a"))
    r = judge.judged(bad, options=["--isolate"], code=1)
    assert r["patch_applied"] is False and len(r["patch_errors"]) == 1 and r["tests"] == {}


def test_it_needs_a_list(judge):
    judge.csbx.fails("test", "--image", judge.image, "--repo", judge.repo, "--isolate", says="--isolate: needs --fail-to-pass")
