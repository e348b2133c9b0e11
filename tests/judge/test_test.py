# SPDX-License-Identifier: Apache-2.0
"""csbx test: a repository, patches, and which of its tests pass."""
import json
import os
import shutil
import signal
import threading
import time

import pytest

import harness
import images
import judgeimages
from ociimage import D, F
from repositories import FIX, STILL, TARGET, diff

CALC = "tests/test_calc.py::"


def outcomes(result):
    return {k.replace(CALC, ""): v for k, v in result["tests"].items()}


@pytest.mark.both_users
def test_a_patch_that_repairs(judge):
    before = harness.list_tree(judge.repo)
    r = judge.judged(judge.fix(), code=0)
    assert r["resolved"] is True and r["completed"] is True and r["status"] == "exited"
    assert r["fail_to_pass"] == {"success": [TARGET], "failure": []}
    assert r["pass_to_pass"] == {"success": [STILL], "failure": []}
    assert r["patch_applied"] is True and r["patch_errors"] == [] and r["patch_tool"] == "git"
    assert r["tamper"] == [] and r["error"] is None
    assert r["tests"] == {TARGET: "passed", STILL: "passed"}
    assert harness.list_tree(judge.repo) == before
    assert "a - b" in (judge.repo / "calc.py").read_text()


def test_without_a_patch_the_bug_is_there(judge):
    r = judge.judged(code=1)
    assert r["resolved"] is False and r["patch_applied"] is None
    assert r["fail_to_pass"] == {"success": [], "failure": [TARGET]}
    assert r["tests"][TARGET] == "failed"


def test_a_whole_suite(judge):
    judge.write(judge.repo / "tests/test_broken.py", "import nosuch\n")
    r = judge("--patch", judge.fix(), code=1)
    assert r["resolved"] is None and r["all_passed"] is False
    assert outcomes(r) == {
        "test_add": "passed", "test_mul": "passed", "test_text[x y]": "passed", "test_text[a/b::c]": "passed",
        "test_text[\\xfc]": "passed", "test_text[[1]]": "passed", "test_text[]": "passed", "test_text[x z]": "passed",
        "test_skip": "skipped", "test_xfail": "xfailed", "test_xpass": "xpassed", "test_error": "error",
        "test_late": "error", "TestClass::test_add": "passed"}
    assert [e["id"] for e in r["collection_errors"]] == ["tests/test_broken.py"]
    assert "nosuch" in r["collection_errors"][0]["message"]
    r = judge("--patch", judge.fix(), code=0, args=["-k", "add or mul", "--ignore=tests/test_broken.py"])
    assert r["all_passed"] is True and len(r["tests"]) == 3


# --- ids --------------------------------------------------------------------------------------------

def test_ids_are_matched_as_swe_bench_does(judge):
    ids = judge.write(judge.csbx.work / "ids.txt",
                      f"  {CALC}test_text[x y]  \n\n{CALC}test_text[a/b::c]\n{CALC}test_text[x\n{CALC}test_skip\n"
                      f"{CALC}test_xfail\n{CALC}TestClass::test_add\n{CALC}test_text[[1]]\n{CALC}test_text[]\n")
    r = judge("--patch", judge.fix(), "--pass-to-pass", f"@{ids}", "--fail-to-pass", TARGET, code=0)
    assert r["pass_to_pass"]["failure"] == [] and len(r["pass_to_pass"]["success"]) == 8
    assert len(r["tests"]) == 9  # "test_text[x" stands for two

    array = judge.write(judge.csbx.work / "ids.json",
                        json.dumps([CALC + n for n in ("test_skip", "test_xpass", "test_error", "test_late",
                                                       "test_nosuch", "test_text[q")] + ["tests/none.py::test"]))
    r = judge("--patch", judge.fix(), "--fail-to-pass", f"@{array}", "--pass-to-pass", CALC + "test_xpass", code=1)
    assert r["fail_to_pass"]["success"] == [] and len(r["fail_to_pass"]["failure"]) == 7
    assert r["pass_to_pass"]["failure"] == [CALC + "test_xpass"]
    r = judge("--fail-to-pass", "tests/none.py::test_nosuch", code=1)
    assert r["resolved"] is False and r["tests"] == {} and r["completed"] is True


def test_a_list_without_an_id(judge):
    """All tests would be run, and none of them had to pass."""
    for text in "", "\n", "[]":
        empty = judge.write(judge.csbx.work / "empty", text)
        judge.csbx.fails("test", "--image", judge.image, "--repo", judge.repo, "--fail-to-pass", f"@{empty}", says="no id of a test")


def test_ids_with_unicode(judge):
    judge.write(judge.repo / "pytest.ini", "[pytest]\ndisable_test_id_escaping_and_forfeit_all_rights_to_community_support = true\n")
    r = judge("--fail-to-pass", CALC + "test_text[\u00fc]", code=0)
    assert r["tests"] == {CALC + "test_text[\u00fc]": "passed"}


def test_a_file_stands_for_its_tests(judge):
    judge.write(judge.repo / "tests/test_more.py", "def test_a(): pass\ndef test_b(): pass\n")
    r = judge("--pass-to-pass", "tests/test_more.py", code=0)
    assert r["tests"] == {"tests/test_more.py::test_a": "passed", "tests/test_more.py::test_b": "passed"}
    assert judge("--pass-to-pass", "tests/test_calc.py", code=1)["resolved"] is False


def test_another_root_directory_of_pytest(judge):
    """pytest's own ids are relative to where its configuration lies; those it prints are not."""
    judge.write(judge.repo / "tests/pytest.ini", "[pytest]\n")
    for node_id in (STILL, "test_calc.py::test_mul"):
        r = judge("--pass-to-pass", node_id, "--pass-to-pass", STILL, code=0)
        assert r["tests"] == {STILL: "passed"}


def test_a_file_with_a_bracket_in_its_name(judge):
    """Its tests cannot be asked of pytest by that name."""
    judge.write(judge.repo / "tests/test_[b].py", "def test_b(): pass\n")
    r = judge("--pass-to-pass", "tests/test_[b].py::test_b", "--pass-to-pass", STILL, code=0)
    assert r["tests"] == {"tests/test_[b].py::test_b": "passed", STILL: "passed"}


def test_a_collection_error_is_no_failure(judge):
    judge.write(judge.repo / "tests/test_broken.py", "def test_x(:\n")
    r = judge("--fail-to-pass", "tests/test_broken.py::test_x", "--pass-to-pass", STILL, code=1)
    assert r["collection_errors"][0]["id"] == "tests/test_broken.py"
    assert r["fail_to_pass"]["failure"] == ["tests/test_broken.py::test_x"]
    assert r["pass_to_pass"]["success"] == [STILL]


@pytest.mark.parametrize("options, says", [
    (["--fail-to-pass", "@/nosuch"], "--fail-to-pass"), (["--fail-to-pass", ""], "--fail-to-pass"),
    (["--patch", "/nosuch"], "patch /nosuch"), (["--test-patch", "/nosuch"], "/nosuch"),
    (["--repo-in-image", "/x"], "one only"), (["--workdir", "x"], "--workdir"), (["--entrypoint", "x"], "not for test")])
def test_bad_words(judge, options, says):
    judge.csbx.fails("test", "--image", judge.image, "--repo", judge.repo, *options, says=says)


def test_what_is_missing(judge):
    judge.csbx.fails("test", "--repo", judge.repo, says="--image")
    judge.csbx.fails("test", "--image", judge.image, says="--repo")
    judge.csbx.fails("test", "--image", judge.image, "--repo", "/nosuch", says="--repo /nosuch")
    judge.csbx.fails("test", "--image", "/nosuch.sqsh", "--repo", judge.repo, says="nosuch.sqsh")


# --- patches ----------------------------------------------------------------------------------------

def test_a_patch_that_does_not_apply(judge):
    bad = judge.write(judge.csbx.work / "bad.diff", diff("calc.py", "x = 1\ny = 2\n", "x = 1\ny = 3\n"))
    r = judge.judged(bad, code=1)
    assert r["patch_applied"] is False and r["resolved"] is False and r["tests"] == {}
    assert "calc.py" in r["patch_errors"][0]["message"] and r["patch_errors"][0]["patch"] == str(bad)
    assert "y = 3" in r["patch_errors"][0]["message"]  # the hunk
    assert r["completed"] is False and r["fail_to_pass"]["failure"] == [TARGET]


@pytest.mark.parametrize("text", ["", "\n\n", "Subject: nothing\n", "diff --git\n"])
def test_an_empty_patch_is_a_failure(judge, text):
    r = judge.judged(judge.write(judge.csbx.work / "empty.diff", text), code=1)
    assert r["patch_applied"] is False and "empty" in r["patch_errors"][0]["message"]


def test_several_patches_and_the_tests_last(judge):
    """csbx first undoes what a patch did to a file of the test patch."""
    second = FIX.replace("return a * b", "return b * a")
    other = judge.write(judge.csbx.work / "other.diff", diff("calc.py", FIX, second))
    spoilt = judge.files["tests/test_calc.py"].replace("assert add(1, 2) == 3", "assert True")
    meddling = judge.patch(files={"tests/test_calc.py": spoilt})
    tests = judge.write(judge.csbx.work / "tests.diff", diff(
        "tests/test_calc.py", judge.files["tests/test_calc.py"], "from calc import add\n\n\ndef test_add():\n    assert add(3, 4) == 7\n"))
    r = judge("--patch", judge.fix(), "--patch", other, "--patch", meddling, "--test-patch", tests,
              "--fail-to-pass", TARGET, code=0)
    assert r["tests"] == {TARGET: "passed"} and r["tamper"] == []
    r = judge("--patch", meddling, "--test-patch", tests, "--fail-to-pass", TARGET, code=1)
    assert r["tests"] == {TARGET: "failed"}
    assert judge.judged(meddling, judge.fix(), code=0)["tamper"][0]["kind"] in ("test_file", "test_replaced")


def test_whitespace_is_put_right(judge):
    r = judge.judged(judge.patch(files={"calc.py": FIX.replace("a + b\n", "a + b  \n")}), code=0)
    assert r["resolved"] is True


def test_files_of_all_kinds(judge):
    """A new file, a removed one, names with blanks, and no newline at the end."""
    judge.write(judge.repo / "old name.py", "x = 1\n")
    judge.files["old name.py"] = "x = 1\n"
    check = "import os\ndef test_files():\n    assert not os.path.exists('old name.py') and os.path.exists('d/new file.txt')\n"
    judge.write(judge.repo / "tests/test_files.py", check)
    p = judge.patch(files={"old name.py": None, "d/new file.txt": "text\n"})
    p.write_text(p.read_text().rstrip("\n"))
    assert judge("--patch", p, "--fail-to-pass", "tests/test_files.py::test_files", code=0)["resolved"]


def test_blanks_at_the_ends_of_lines_are_content(judge):
    """A patch is applied byte for byte; one whose context lacks such blanks is applied all the same."""
    check = "def test_ends():\n    assert open('mark.txt', newline='').read() == 'a \\r\\n\\nb\\t\\n\\n'\n"
    judge.write(judge.repo / "tests/test_ends.py", check)
    exact = judge.patch(files={"mark.txt": "a \r\n\nb\t\n\n"})
    assert judge("--patch", exact, "--fail-to-pass", "tests/test_ends.py::test_ends", code=0)["resolved"]
    judge.write(judge.repo / "tests/test_ends.py", "def test_ends():\n    assert open('text.txt').read() == 'one\\nthree\\n'\n")
    judge.write(judge.repo / "text.txt", "one \ntwo\n")
    lenient = judge.write(judge.csbx.work / "lenient.diff", diff("text.txt", "one\ntwo\n", "one\nthree\n"))
    assert judge("--patch", lenient, "--fail-to-pass", "tests/test_ends.py::test_ends", code=0)["resolved"]


def test_an_image_with_patch_in_place_of_git(judge, patch_image):
    r = judge.judged(judge.fix(), image=patch_image, code=0)
    assert r["patch_tool"] == "patch" and r["resolved"] is True
    bad = judge.write(judge.csbx.work / "bad.diff", diff("calc.py", "x = 1\ny = 2\n", "x = 1\ny = 3\n"))
    r = judge.judged(bad, image=patch_image, code=1)
    assert r["patch_applied"] is False and r["patch_errors"][0]["message"]
    for name in ("../usr/x.py", ".git/config", "/etc/x"):
        evil = judge.write(judge.csbx.work / "evil.diff", diff("calc.py", None, "x\n").replace("calc.py", name))
        assert judge.judged(evil, image=patch_image, code=1)["patch_applied"] is False
    hidden = diff("tests/test_calc.py", judge.files["tests/test_calc.py"],
                  judge.files["tests/test_calc.py"].replace("assert add(1, 2) == 3", "pass"))
    hidden = hidden.replace("--- a/tests/test_calc.py", "*** a/x").replace("+++ b/", "+++ b/./")
    r = judge.judged(judge.write(judge.csbx.work / "hidden.diff", hidden), image=patch_image)
    assert "test_file" in [t["kind"] for t in r["tamper"]] or not r["patch_applied"]


def test_an_image_with_neither(judge, bare_image):
    r = judge.judged(judge.fix(), image=bare_image, code=125)
    assert r["error"]["code"] == "no_git" and r["status"] == "launch_error" and r["resolved"] is None
    assert judge("--pass-to-pass", STILL, image=bare_image, code=0)["resolved"] is True


def test_a_listed_test_that_is_not_there_is_named(judge):
    p = judge.csbx.run("test", "--image", judge.image, "--repo", judge.repo, "--fail-to-pass", TARGET, "--pass-to-pass", STILL + "x", timeout=120)
    assert p.returncode == 1 and f"csbx:   {TARGET}: failed\ncsbx:   {STILL}x: missing: no test of this id was run\n" in p.stderr, p.stderr


def test_images_that_lack_more(judge, python_image, busybox_image):
    r = judge("--pass-to-pass", STILL, image=python_image, code=125)
    assert r["error"]["code"] == "no_pytest"
    r = judge.judged(judge.fix(), image=python_image, code=125)  # nor is it made of the repository
    assert (r["error"]["code"], r["tamper"]) == ("no_pytest", []), r
    p = judge.csbx.run("test", "--image", python_image, "--repo", judge.repo, "--pass-to-pass", STILL, timeout=120)
    assert p.returncode == 125 and "docs/customise.md adds packages" in p.stderr, p.stderr
    assert judge("--pass-to-pass", STILL, image=busybox_image, code=127)["error"]["code"] == "command_not_found"


def test_a_batch_in_an_image_without_pytest(judge, python_image):
    """The image is at fault: no verdict about the patch, and the exit code says that there is none."""
    line = json.dumps({"id": 1, "repo": str(judge.repo), "fail_to_pass": [TARGET]})
    p = judge.csbx.run("test", "--image", python_image, "--batch", "-", stdin=line + "\n", timeout=120)
    record = json.loads(p.stdout)
    assert p.returncode == 1 and "1 could not be run" in p.stderr, p.stderr
    assert (record["status"], record["error"]["code"], record["resolved"]) == ("launch_error", "no_pytest", None)


# --- repositories -----------------------------------------------------------------------------------

def test_a_repository_in_the_image(judge, make_image, csbx):
    tree = [D("srv"), D("srv/repo"), D("srv/repo/tests")] + [F(f"srv/repo/{n}", t) for n, t in judge.files.items()]
    files = judgeimages.files_of("pytest")
    image = make_image(images.base_entries(), images.python_entries(files), tree)
    p = csbx.run("test", "--image", image, "--repo-in-image", "/srv/repo", "--patch", judge.fix(),
                 "--fail-to-pass", TARGET, "--json")
    r = json.loads(p.stdout)
    assert p.returncode == 0 and r["tests"] == {TARGET: "passed"}, p
    p = csbx.run("test", "--image", image, "--repo-in-image", "/srv/none", "--fail-to-pass", TARGET, "--json")
    assert p.returncode == 125 and json.loads(p.stdout)["error"]["code"] == "no_repository"


def test_a_repository_that_is_copied(judge):
    """Somebody else's directory cannot be written to by an overlay; its git directory is copied too."""
    before = harness.list_tree(judge.repo)
    r = judge.judged(judge.fix(), options=["--copy-repo", "--workdir", "/srv/elsewhere"], code=0)
    assert r["resolved"] is True and "rootdir: /srv/elsewhere" in r["stdout"]
    assert harness.list_tree(judge.repo) == before


def test_a_repository_whose_git_directory_lies_elsewhere(judge):
    """A worktree, a submodule."""
    judge.write(judge.repo / ".git", "gitdir: /nonexistent/.git/worktrees/repo\n")
    r = judge.judged(judge.fix(), code=0)
    assert r["patch_tool"] == "git" and r["resolved"] is True


def test_a_copy_of_what_are_no_files(judge):
    """Neither do few descriptors disturb."""
    os.mkfifo(judge.repo / "fifo")
    (judge.repo / "d").mkdir()
    os.mkfifo(judge.repo / "d/fifo")
    r = judge.judged(judge.fix(), options=["--copy-repo", "--timeout", "100", "--ulimit", "nofile=60"], code=0)
    assert r["resolved"] is True and r["tamper"] == []


@pytest.mark.needs_root
def test_a_repository_of_somebody_else(judge):
    for path in [judge.repo, *judge.repo.rglob("*")]:
        os.chown(path, 0, 0)
    r = judge.judged(judge.fix(), code=0)
    assert r["resolved"] is True and r["tamper"] == []


CHANGES = """import os

def test_changes():
    with open("data/old", "a") as f:
        f.write("more")
    os.rename("data/old", "data/new")
    os.mkdir("data/made")
"""


@pytest.mark.needs_root
@pytest.mark.both_users
@pytest.mark.parametrize("foreign", ["*", "data/old", "data"])
def test_a_repository_of_another_group(judge, foreign):
    """A file whose group does not exist inside: an overlay cannot change it, and the tests would be blamed."""
    judge.write(judge.repo / "data/old", "text")
    judge.write(judge.repo / "tests/test_changes.py", CHANGES)
    for path in judge.repo.rglob("*") if foreign == "*" else [judge.repo / foreign]:
        os.chown(path, -1, 54321)
    r = judge("--fail-to-pass", "tests/test_changes.py::test_changes", code=0)
    assert r["resolved"] is True, r["stdout"]
    assert (judge.repo / "data/old").read_text(encoding="utf-8") == "text"


# --- runners and plugins ----------------------------------------------------------------------------

@pytest.mark.parametrize("args", [["-n", "2"], ["--cov=calc"], ["-p", "no:cacheprovider", "--tb=no", "-q"], ["-x"],
                                  ["-n", "2", "--cov=calc", "--dist=loadfile"]])
def test_plugins_do_not_disturb(judge, args):
    r = judge.judged(judge.fix(), args=args, code=0)
    assert r["resolved"] is True and r["tamper"] == [] and r["completed"] is True


HONEST_TESTS = """import builtins
import unittest.mock

import pytest
from calc import add


def test_own(monkeypatch):
    monkeypatch.setattr(builtins, "open", lambda *a: "opened")
    monkeypatch.setattr("builtins.input", lambda *a: "yes")
    assert open("x") == "opened" and input() == "yes"


def test_mock():
    with unittest.mock.patch("builtins.print") as said:
        print("x")
    said.assert_called_once_with("x")


def test_mock_to_the_end(monkeypatch):
    monkeypatch.setattr(builtins, "open", unittest.mock.mock_open(read_data="text"))
    assert open("x").read() == "text"


def test_skip():
    unittest.TestCase().skipTest("for a reason")
"""
HONEST_CONFTEST = """import functools


def pytest_runtest_setup(item):
    item.obj = functools.wraps(item.obj)(lambda *a, it=item.obj, **kw: it(*a, **kw))
"""
HONEST_SOURCE = """import asyncio
import collections
import dataclasses
import enum
import sys
import uuid

import native

Pair = collections.namedtuple("Pair", "a b", defaults=(0,))


class Kind(enum.Enum):
    ONE = 1


@dataclasses.dataclass
class Point:
    x: int = 0


class Module(type(sys)):
    pass


def add(a, b):
    uuid.uuid1()
    native.copy(a)
    return a + b


def mul(a, b):
    return a * b


add.__defaults__ = (1, 2)
sys.modules[__name__].__class__ = Module
"""


HONEST_NATIVE = """import ctypes


def copy(number):
    value = ctypes.c_int(number)
    return ctypes.cast(ctypes.pointer(value), ctypes.POINTER(ctypes.c_int)).contents.value
"""


def test_honest_code_is_no_tampering(judge):
    """Objects that tests replace and put back, and the work of the standard library for a module of a patch."""
    judge.write(judge.repo / "tests/test_honest.py", HONEST_TESTS)
    judge.write(judge.repo / "conftest.py", HONEST_CONFTEST)
    judge.write(judge.repo / "native.py", HONEST_NATIVE)  # it was there: what a patch brings may not use ctypes unseen
    r = judge.judged(judge.patch(files={"calc.py": HONEST_SOURCE}),
                     options=["--strict", "--pass-to-pass", "tests/test_honest.py"], args=["--runxfail", "--cov=calc", "--cov-fail-under=100"])
    assert r["tamper"] == [] and r["resolved"] is True, (r["tamper"], r["tests"], r["stdout"])


SIGNALS = """import gc
import signal
import time

heard = []
signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
gc.callbacks.append(lambda phase, info: heard.append(phase))


def add(a, b):
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    end = time.monotonic() + 20
    while heard.count(signal.SIGALRM) < 100 and time.monotonic() < end:
        exec(compile("1", "x", "exec"))
    signal.setitimer(signal.ITIMER_REAL, 0)
    gc.collect()
    return a + b if heard.count(signal.SIGALRM) >= 100 and "stop" in heard else None


def mul(a, b):
    return a * b
"""


def test_signals_and_collections_reach_who_waits(judge):
    """The harness holds them back while it looks, no longer."""
    r = judge.judged(judge.patch(files={"calc.py": SIGNALS}), options=["--strict"], code=0)
    assert r["resolved"] is True and r["tamper"] == []


def test_xdist_with_a_worker_that_dies(judge):
    deadly = judge.patch(files={"calc.py": FIX.replace("    return a * b", "    import os\n    os._exit(0)")})
    r = judge.judged(deadly, args=["-n", "2"], code=1)
    assert r["pass_to_pass"]["failure"] == [STILL] and r["resolved"] is False


def test_unittest(judge, python_image):
    """An image without pytest."""
    judge.write(judge.repo / "test_unit.py", """import unittest
from calc import add


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertLess(n, 2)

    @unittest.skip("no")
    def test_skip(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    @unittest.expectedFailure
    def test_unexpected(self):
        pass

    def test_error(self):
        raise ValueError
""")
    unit = "test_unit.T."
    p = judge.write(judge.csbx.work / "fix.diff", diff("calc.py", judge.files["calc.py"], FIX))
    r = judge("--runner", "unittest", image=python_image, code=1, args=["test_unit"])
    assert {k.replace(unit, ""): v for k, v in r["tests"].items()} == {
        "test_add": "failed", "test_parts": "failed", "test_skip": "skipped", "test_expected": "xfailed",
        "test_unexpected": "xpassed", "test_error": "failed"}
    assert r["runner"]["name"] == "unittest" and r["tamper"] == []
    r = judge("--runner", "unittest", "--patch", p, "--fail-to-pass", unit + "test_add", "--pass-to-pass",
              "test_skip (test_unit.T)", code=0)
    assert r["resolved"] is True
    r = judge("--runner", "unittest", "--fail-to-pass", "test_none.T.test_x", code=1)
    assert r["collection_errors"] and r["resolved"] is False


@pytest.mark.parametrize("files, kind", [
    ({"calc.py": "import unittest\n\n\ndef add(a, b):\n    raise unittest.SkipTest('no')\n"}, "outcome_call"),
    ({"test_unit/__init__.py": """import unittest


class T(unittest.TestCase):
    def test_add(self):
        pass
"""}, "test_replaced")])
def test_unittest_is_not_fooled(judge, files, kind):
    judge.write(judge.repo / "test_unit.py",
                "import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n"
                "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n")
    r = judge("--runner", "unittest", "--patch", judge.patch(files=files), "--pass-to-pass", "test_unit.T.test_add")
    assert kind in [t["kind"] for t in r["tamper"]], (r["error"], r["tests"], r["stderr"])


# --- limits -----------------------------------------------------------------------------------------

def test_a_timeout_leaves_what_was_reported(judge):
    judge.write(judge.repo / "tests/test_slow.py",
                "import time\ndef test_a(): pass\ndef test_b():\n    time.sleep(600)\ndef test_c(): pass\n")
    r = judge("--timeout", "20", "--pass-to-pass", "tests/test_slow.py", code=124)
    assert r["status"] == "timeout" and r["resolved"] is False and r["completed"] is False
    assert r["tests"]["tests/test_slow.py::test_a"] == "passed"
    assert "tests/test_slow.py::test_c" not in r["tests"]


def test_without_json(judge):
    p = judge.csbx.run("test", "--image", judge.image, "--repo", judge.repo, "--patch", judge.fix(),
                       "--fail-to-pass", TARGET)
    assert p.returncode == 0 and "1 passed" in p.stdout
    assert p.stderr == "csbx: resolved: 1 of 1 fail-to-pass, 0 of 0 pass-to-pass\n"


USES_TESTS = '''
import ctypes
import cProfile
import marshal
import sys
import threading

from calc import add, copy_of, mul, reload_data


def test_add():
    assert add(1, 2) == 3
    assert copy_of(add)(1, 2) == 3 and reload_data([1, "c"]) == [1, "c"]


def test_mul():
    assert mul(2, 3) == 6
    assert ctypes.cast(ctypes.pointer(ctypes.c_int(3)), ctypes.POINTER(ctypes.c_int)).contents.value == 3


def test_tracing():
    seen = []
    def trace(frame, event, arg):
        seen.append(event)
    threading.setprofile(trace)
    try:
        thread = threading.Thread(target=add, args=(1, 2))
        thread.start()
        thread.join()
    finally:
        threading.setprofile(None)
    before = sys.gettrace()
    sys.settrace(trace)
    add(1, 2)
    sys.settrace(before)
    profile = cProfile.Profile()
    profile.runcall(add, 1, 2)
    assert seen


def test_code_of_its_own():
    space = {}
    exec(marshal.loads(marshal.dumps(compile("x = 1", "<text>", "exec"))), space)
    assert space["x"] == 1
'''


def test_honest_uses_of_what_is_watched(judge):
    """Tests may read memory, trace and load code; a patch may copy functions, load data and reload itself."""
    judge.files["tests/test_calc.py"] = USES_TESTS.lstrip("\n")
    judge.write(judge.repo / "tests/test_calc.py", judge.files["tests/test_calc.py"])
    fix = "import importlib\nimport marshal\nimport multiprocessing.sharedctypes\nimport types\n\n\n" + FIX + """

def copy_of(function):
    return types.FunctionType(function.__code__, globals(), "copy")


def reload_data(data):
    import table
    importlib.reload(table)
    return marshal.loads(marshal.dumps(data))
"""
    patch = judge.patch(files={"calc.py": fix, "table.py": "def f():\n    return (i for i in (1, 2))\n"})
    r = judge("--patch", patch, "--strict", code=0)
    assert r["all_passed"] is True and r["tamper"] == [], r["tamper"]


def test_a_parser_that_fails_once(judge):
    """CPython 3.11 raises such a SystemError now and then; it is not about the tests."""
    judge.write(judge.repo / "conftest.py", '''import pytest

seen = []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    if call.excinfo is not None and "a decoy" in str(call.excinfo.value) and not seen:
        seen.append(1)
        raise SystemError("AST constructor recursion depth mismatch (before=61, after=63)")
''')
    r = judge.judged(judge.fix(), code=0)
    assert r["resolved"] is True and r["tamper"] == [], (r["tamper"], r["stdout"])


def test_an_image_that_is_changed_while_tests_run(judge):
    """It is the machine's failure: no verdict."""
    image = judge.csbx.work / "image.sqsh"
    shutil.copy(judge.image, image)
    os.chmod(image, 0o644)
    judge.files["tests/test_calc.py"] += "\n\ndef test_slow():\n    import time\n    time.sleep(6)\n"
    judge.write(judge.repo / "tests/test_calc.py", judge.files["tests/test_calc.py"])

    def cut():
        time.sleep(3)
        os.truncate(image, 100000)

    thread = threading.Thread(target=cut)
    thread.start()
    r = judge("--patch", judge.fix(), "--fail-to-pass", TARGET, "--pass-to-pass", CALC + "test_slow", image=image)
    thread.join()
    assert (r["status"], r["resolved"], r["cli"]) == ("sandbox_error", None, 125) and r["error"]["code"] == "image_server"


def test_an_end_from_outside_is_no_verdict(judge):
    """What pytest had not said when csbx was told to end says nothing of the patch."""
    judge.write(judge.repo / "tests/test_wait.py", "import time\n\ndef test_wait():\n    print('waits')\n    time.sleep(60)\n")
    csbx = judge.csbx
    with csbx.popen("test", "--image", judge.image, "--repo", judge.repo, "--timeout", "50", "--json",
                    "--fail-to-pass", "tests/test_wait.py::test_wait", text=True) as p:
        while not any(name.startswith("python") for name in harness.descendants(p.pid).values()):
            time.sleep(0.05)
        time.sleep(2)
        p.send_signal(signal.SIGTERM)
        out, said = p.communicate(timeout=60)
    r = json.loads(out)
    assert (r["status"], r["resolved"], p.returncode) == ("sandbox_error", None, 125) and "signal 15" in said, r
