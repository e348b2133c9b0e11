# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: asserting code in a container that the snippet has no part in."""
import json
import os
import resource
import secrets
import signal
import time
from pathlib import Path

import pytest

import harness
import snippets

CHEATS = sorted((Path(__file__).parent / "cheats").glob("*.py"))


def check(csbx, image, code, asserting, *options):
    (csbx.work / "snippet").write_text(code, encoding="utf-8")
    (csbx.work / "check").write_text(asserting, encoding="utf-8")
    p = csbx.run("eval", "--image", image, "--json", "--timeout", "20", "--check", csbx.work / "check", *options,
                 csbx.work / "snippet", timeout=180)
    return snippets.parse(p)


def test_calls_are_carried(csbx, python_image):
    code = """
import os
print("loaded")
def same(*args, **kwargs): return [list(args), kwargs]
def div(a): return 1 / a
class Odd(Exception): pass
def odd(): raise Odd("here")
def other(): return object()
def pid(): return os.getpid()
"""
    asserting = """
import solution
from solution import div, odd, other, same
assert same(1, (2, {3: b"x"}), {4}, k=None) == [[1, (2, {3: b"x"}), {4}], {"k": None}]
def raises(f, *args):
    try:
        f(*args)
    except Exception as error:
        return type(error).__name__, str(error)
assert raises(div, 0) == ("ZeroDivisionError", "division by zero")
assert raises(odd) == ("Odd", "here"), raises(odd)
assert other() is not None and not isinstance(other(), int) and "object" in repr(other())
assert solution.pid() != solution.pid()
print("all asserted")
"""
    r = check(csbx, python_image, code, asserting)
    assert r["check"]["passed"] and r["all_passed"] and r["score"] == 1 and r["exit"] == 0, (r["feedback"], r["check"])
    assert r["stdout"] == "loaded\n" and r["check"]["result"]["stdout"] == "all asserted\n"


@pytest.mark.parametrize("expected", ["Exception", "LookupError", "(Exception, BaseException)"])
def test_a_function_that_is_not_there_raises_nothing_that_was_expected(csbx, python_image, expected):
    """Another has been called, so that the check has not passed for want of a call."""
    asserting = f"from solution import f, g\nassert f() == 1\ntry:\n    g()\nexcept {expected}:\n    pass\nelse:\n    assert False\n"
    r = check(csbx, python_image, "def f(): return 1\ndef g(): raise KeyError", asserting)
    assert r["check"]["passed"], r["check"]
    r = check(csbx, python_image, "def f(): return 1", asserting)
    assert not r["check"]["passed"] and not r["all_passed"] and r["score"] == 0
    assert r["check"]["error_summary"]["type"] == "ImportError" and "cannot import name 'g'" in r["check"]["error_summary"]["message"], r["check"]
    r = check(csbx, python_image, "def f(): return 1", asserting.replace("f, g", "f"), "--function", "g")
    assert not r["check"]["passed"] and not r["all_passed"] and r["score"] == 0
    assert r["check"]["error_summary"]["type"] == "CallFailed" and r["check"]["error_summary"]["message"] == "the snippet defines no g", r["check"]


def test_what_fails(csbx, python_image):
    r = check(csbx, python_image, "def f(): return 1", "from solution import f\n\nassert f() == 2, 'it is not'\n")
    assert (r["exit"], r["all_passed"], r["score"]) == (1, False, 0)
    assert r["check"]["error_summary"] == {"type": "AssertionError", "message": "it is not", "line": 3}
    assert r["feedback"] == ["The check failed in line 3 of it: AssertionError: it is not."]
    assert "AssertionError" in r["check"]["result"]["stderr"] and "/proc/" not in r["check"]["result"]["stderr"]


def test_a_candidate(csbx, python_image):
    asserting = "def check(candidate):\n    assert candidate(2, 3) == 5\n\ndef test_more():\n    assert add(1, 1) == 2\n"
    assert check(csbx, python_image, "def add(a, b): return a + b", asserting, "--function", "add")["all_passed"]
    assert not check(csbx, python_image, "def add(a, b): return 5", asserting, "--function", "add")["all_passed"]


def test_time_and_ends(csbx, python_image):
    code = "import time\ndef slow(): time.sleep(60)\ndef f(): return 1\n"
    asserting = "from solution import f, slow\ntry:\n    slow()\nexcept BaseException:\n    assert f() == 1\n    print('answers')\n"
    r = check(csbx, python_image, code, asserting, "--timeout", "5")
    assert r["check"]["result"]["stdout"] == "answers\n" and not r["all_passed"]
    assert r["check"]["error_summary"] == {"type": "CallFailed", "message": "the call was not done in time", "line": None}
    r = check(csbx, python_image, "1 / 0", "from solution import f\nf()")
    assert not r["all_passed"] and r["error_summary"]["type"] == "ZeroDivisionError"
    assert "did not load: ZeroDivisionError" in r["check"]["error_summary"]["message"]
    for leave in ("import os; os._exit(0)", "raise SystemExit(0)"):
        r = check(csbx, python_image, "pass", leave)
        assert not r["all_passed"] and r["exit"] == 1, leave


@pytest.mark.parametrize("way", ["os._exit(0)", "return b'x' * 9000000", "time.sleep(60)", "return None"])
def test_a_call_that_failed_is_no_exception_to_expect(csbx, python_image, way):
    asserting = """
import unittest
from solution import f
class Test(unittest.TestCase):
    def test_kinds(self):
        for kind in (RuntimeError, TimeoutError, ValueError, TypeError, Exception):
            with self.assertRaises(kind):
                f(object() if "None" in WAY else 1)
    def test_swallowed(self):
        try:
            f(object() if "None" in WAY else 1)
        except:
            pass
""".replace("WAY", repr(way))
    r = check(csbx, python_image, f"import os, time\ndef f(x):\n    {way}\n", asserting, "--timeout", "3")
    assert not r["check"]["passed"] and not r["all_passed"], r["check"]


def test_calls_from_threads_and_signals(csbx, python_image):
    code = "import time\ndef same(x): return x\ndef slow(x):\n    time.sleep(2)\n    return x\n"
    asserting = """
import signal
from concurrent.futures import ThreadPoolExecutor
from solution import same, slow
with ThreadPoolExecutor(8) as pool:
    assert list(pool.map(same, range(100))) == list(range(100))
class Late(Exception):
    pass
def ring(number, frame):
    raise Late()
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    slow("old")
except Late:
    assert same("new") == "new"
    print("in order")
"""
    r = check(csbx, python_image, code, asserting)
    assert r["all_passed"] and r["check"]["result"]["stdout"] == "in order\n", r["check"]


@pytest.mark.parametrize("asserting", [
    "import signal\nrung = []\nsignal.signal(signal.SIGALRM, lambda *a: rung.append(1))\nsignal.setitimer(signal.ITIMER_REAL, 0.3)\n"
    "from solution import f\nassert f() == 1 and rung\n",
    "from concurrent.futures import ThreadPoolExecutor\ndef ask(_):\n    from solution import f\n    return f()\n"
    "with ThreadPoolExecutor(8) as pool:\n    assert list(pool.map(ask, range(20))) == [1] * 20\n",
    "import os\npid = os.fork()\nif not pid:\n    from solution import f\n    os._exit(f())\n"
    "assert os.waitpid(pid, 0)[1] == 256\nfrom solution import f\nassert f() == 1\n",
    "try:\n    from solution import missing\nexcept ImportError:\n    from solution import *\nassert f() == 1\n",
    "import solution\nassert 'f' in dir(solution) and solution.f() == 1\n",
], ids=["signal", "threads", "fork", "missing", "dir"])
@pytest.mark.parametrize("names", [0, 300], ids=["few", "many"])
def test_names_are_told_when_the_snippet_is_loaded(csbx, python_image, asserting, names):
    code = f"import time\ntime.sleep(1)\nglobals().update({{'n%d' % i: i for i in range({names})}})\ndef f(): return 1\n"
    r = check(csbx, python_image, code, asserting)
    assert r["all_passed"], r["check"]


@pytest.mark.parametrize("code", ["raise ValueError", "import os\nos._exit(0)", "import os\nos.close(3)\ndef f(): return 1",
                                  "import os\nos.read(3, 4)\ndef f(): return 1",
                                  "import os\nos.read(3, 16)\nos.write(3, b'L\\0\\0\\0\\1' + bytes(11) + b'x')\ndef f(): return 1",
                                  "class K(type):\n    __class__ = property(lambda s: 1 / 0)\nclass f(metaclass=K): pass"])
def test_names_that_are_not_told(csbx, python_image, code):
    r = check(csbx, python_image, code, "from solution import f\nassert f() == 1\n", "--timeout", "3")
    assert not r["all_passed"] and not r["check"]["passed"] and r["check"]["error_summary"]["type"], r["check"]


def test_a_signal_that_ends_the_question_for_names(csbx, python_image):
    code = "import time\ntime.sleep(1)\ndef f(): return 1\n"
    asserting = ("import signal\ndef ring(*a): raise TimeoutError\nsignal.signal(signal.SIGALRM, ring)\nsignal.setitimer(signal.ITIMER_REAL, 0.3)\n"
                 "try:\n    from solution import f\nexcept TimeoutError:\n    pass\n")
    r = check(csbx, python_image, code, asserting)
    assert not r["all_passed"] and r["check"]["error_summary"]["message"] == "a signal came while the snippet was asked for its names", r["check"]


def test_in_a_batch(csbx, python_image):
    (csbx.work / "in").write_text(json.dumps({"id": 1, "code": "def f(): return 1", "check": "from solution import f\nassert f() == 1"}) + "\n" +
                                  json.dumps({"id": 2, "code": "def f(): return 2", "check": "from solution import f\nassert f() == 1"}), encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "--batch", csbx.work / "in", timeout=60)
    assert {r["id"]: r["all_passed"] for r in map(json.loads, p.stdout.splitlines())} == {1: True, 2: False}, p.stderr


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda p: p.stem)
def test_cheats(csbx, python_image, cheat):
    tokens = [f"TOKEN-{secrets.token_hex(16)}" for _ in range(3)]
    asserting = f"""
from solution import f
def same(i, token):
    try:
        return f(i) == token
    except Exception:
        return False
assert any(same(i, token) for i, token in enumerate({tokens}))
"""
    r = check(csbx, python_image, cheat.read_text(encoding="utf-8"), asserting, "--timeout", "2")
    assert not r["check"]["passed"] and not r["all_passed"] and r["exit"] == 1
    assert not [t for t in tokens if t in r["stdout"] + r["stderr"] + json.dumps(r["argv"])]


def test_mistakes(csbx, python_image):
    (csbx.work / "check").write_text("pass", encoding="utf-8")
    csbx.fails("eval", "--image", python_image, "--check", csbx.work / "none", stdin="pass", says="--check")
    csbx.fails("eval", "--image", python_image, "--check", csbx.work / "check", "--lang", "c", stdin="pass", says="--check")


@pytest.mark.parametrize("asserting, says", [
    ("def check(", "SyntaxError in line 1: '(' was never closed"), ("\nnosuch(3)", "NameError in line 2: name 'nosuch' is not defined"),
    ("import no_such_package", "ModuleNotFoundError in line 1: No module named 'no_such_package'"),
    ("def check(candidate):\n    return helper(candidate)", "NameError in line 2: name 'helper' is not defined")])
def test_a_check_that_is_wrong_itself(csbx, python_image, asserting, says):
    """It is no verdict about the snippet, which may be right."""
    (csbx.work / "check").write_text(asserting, encoding="utf-8")
    csbx.fails("eval", "--image", python_image, "--check", csbx.work / "check", "--function", "f", stdin="def f(): return 1",
               says=["check: it failed by itself, before any call of the snippet: ", says])
    line = {"id": "x", "code": "def f(): return 1", "function": "f", "check": asserting}
    p = csbx.run("eval", "--image", python_image, "--batch", "-", stdin=json.dumps(line))
    record = json.loads(p.stdout)
    assert (p.returncode, record["id"], record["status"]) == (1, "x", "bad_line") and says in record["error"]["message"], record


def test_a_check_that_fails_after_a_call(csbx, python_image):
    """What it lacks then may be what the snippet has not given: a verdict."""
    asserting = "from solution import f\nfor last in f():\n    pass\nassert last == 3\n"
    r = check(csbx, python_image, "def f(): return []", asserting)
    assert r["check"]["error_summary"]["type"] == "NameError" and r["all_passed"] is False and r["exit"] == 1


def test_a_check_without_its_function(csbx, python_image):
    (csbx.work / "check").write_text("def check(candidate):\n    assert candidate() == 1", encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "--check", csbx.work / "check", stdin="def f(): return 1")
    assert p.returncode == 1 and "check(candidate) is called where --function names the candidate" in p.stdout
    p = csbx.run("eval", "--image", python_image, "--check", csbx.work / "check", "--function", "g", stdin="def f(): return 1")
    assert p.returncode == 1 and "the snippet defines no g" in p.stdout


RAISES = """
def decodes(): return b"\\xff".decode()
def encodes(): return "\\xff".encode("ascii")
def groups(): raise ExceptionGroup("two", [ValueError("one"), KeyError("other")])
class Own(UnicodeDecodeError): pass
def owns(): raise Own("utf-8", b"x", 0, 1, "why")
"""


def test_exceptions_that_are_made_of_more_than_a_message(csbx, python_image):
    asserting = """
import sys
from solution import decodes, encodes, groups, owns
def error_of(f):
    try:
        f()
    except Exception as error:
        return error
for f, kind, name in ((decodes, UnicodeDecodeError, "UnicodeDecodeError"), (encodes, UnicodeEncodeError, "UnicodeEncodeError"),
                      (owns, UnicodeDecodeError, "Own")):
    error = error_of(f)
    assert isinstance(error, kind) and isinstance(error, ValueError) and type(error).__name__ == name, (f, type(error).__mro__)
assert error_of(decodes).args == ("utf-8", b"\\xff", 0, 1, "invalid start byte") and error_of(encodes).object == "\\xff"
assert "invalid start byte" in str(error_of(decodes)) and error_of(owns).reason == "why"
if sys.version_info >= (3, 11):
    assert isinstance(error_of(groups), ExceptionGroup) and str(error_of(groups)) == "two (2 sub-exceptions)"
"""
    r = check(csbx, python_image, RAISES, asserting)
    assert r["check"]["passed"], r["check"]["error_summary"]


FORKS = """
import os
from solution import f
assert f(0) == 0
pid = os.fork()
if not pid:
    try:
        f(1) + 1
    except BaseException:
        pass
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
"""


@pytest.mark.parametrize("answer, passed", [("x", True), ("exit()", True), ("__import__('os')._exit(0)", False), ("object()", False)])
def test_a_call_that_fails_in_a_fork(csbx, python_image, answer, passed):
    r = check(csbx, python_image, f"def f(x): return {answer} if x else 0\n", FORKS)
    assert r["check"]["passed"] is passed, r["check"]["error_summary"]
    assert passed or r["check"]["error_summary"]["type"] == "CallFailed"


@pytest.mark.parametrize("value", ["e1:l1:i1;", "d1:l0:i1;", "e1:d0:"])
def test_an_answer_that_is_no_value_is_no_exception(csbx, python_image, value):
    """A program may write its answers by hand."""
    code = f"""
import os, sys
def f():
    frame = sys._getframe()
    while "number" not in frame.f_locals:
        frame = frame.f_back
    answer = b"l4:s1:Rs3:set{value}N"
    os.write(3, b"A\\0\\0\\0" + len(answer).to_bytes(4, "little") + frame.f_locals["number"] + answer)
    os._exit(0)
"""
    asserting = "from solution import f\ntry:\n    f()\nexcept Exception:\n    pass\nelse:\n    raise SystemExit(1)\n"
    r = check(csbx, python_image, code, asserting)
    assert not r["check"]["passed"] and r["check"]["error_summary"]["type"] == "CallFailed", r["check"]["error_summary"]
    assert "no value" in r["check"]["error_summary"]["message"]


UNTOLD_USES = ("list(made())", "len(made())", "next(made())", "made()[0]", "made()()", "made().name", "made().kind", "made().name = 1", "del made().name",
               "made() + 1", "'a' + made()", "1 - made()", "made() < 1", "1 in made()", "int(made())", "'%d' % made()", "range(made())", "sorted([made(), 1])",
               "sum(nested())", "max(nested() + [1])", "dict(**made())", "open(made())")


@pytest.mark.parametrize("made", ("object()", "type('A', (), {'__repr__': lambda self: 'name'})()", "(n for n in [1])"))
def test_a_value_that_cannot_be_told_is_no_exception(csbx, python_image, made):
    """A generator is one: what asserting code expects of its end must not be what the harness says of it."""
    code = f"def made(): return {made}\ndef nested(): return [made()]\n"
    asserting = "from solution import made, nested\nsaid = []\n" + "".join(
        f"try:\n    {use}\nexcept Exception:\n    pass\nexcept BaseException as error:\n    said.append(type(error).__name__)\n"
        for use in UNTOLD_USES) + "import sys\nsys.exit(str(said))\n"
    r = check(csbx, python_image, code, asserting)
    assert not r["check"]["passed"]
    assert r["check"]["error_summary"]["message"] == str(["CallFailed"] * len(UNTOLD_USES)), r["check"]


@pytest.mark.parametrize("says", ("callable(made())", "isinstance(made(), Iterable)", "hasattr(made(), '__iter__')", "hasattr(made(), 'name')"))
@pytest.mark.parametrize("word", ("", "not "))
def test_what_a_value_that_cannot_be_told_can_do(csbx, python_image, says, word):
    r = check(csbx, python_image, "def made(): return object()", f"from collections.abc import Iterable\nfrom solution import made\nassert {word}{says}\n")
    assert not r["check"]["passed"] and r["check"]["error_summary"]["type"] == "CallFailed", r["check"]


@pytest.mark.parametrize("victim", ["init", "supervisor"])
def test_a_container_of_the_asserting_code_that_is_killed(csbx, python_image, running, victim):
    """The snippet is right, and the host fails: that is no verdict."""
    (csbx.work / "snippet").write_text("def f(x):\n    return x + 1\n", encoding="utf-8")
    (csbx.work / "check").write_text("import time\ndef check(f):\n    assert f(1) == 2\n    print('waits', flush=True)\n    time.sleep(60)\n",
                                     encoding="utf-8")
    p = csbx.popen("eval", "--image", python_image, "--json", "--timeout", "30", "--function", "f", "--check", csbx.work / "check",
                   csbx.work / "snippet", text=True)
    pid = None
    while pid is None:
        assert p.poll() is None
        pid = next((i["pid"] for i in running() if i.get("pid") and runs_check(i["pid"])), None)
        time.sleep(0.05)
    os.kill(pid if victim == "init" else harness.read_stat(pid)[0], signal.SIGKILL)
    out, said = p.communicate(timeout=60)
    r = json.loads(out)
    assert (r["status"], r["exit_code"], r["all_passed"], p.returncode) == ("sandbox_error", 125, False, 125), r
    assert r["error"]["message"] == "the container of the asserting code failed" and "asserting code" in said
    csbx.ok("gc")


@pytest.mark.parametrize("asserting, status", [
    ("import os\nos._exit(0)\n", "exited"), ("x = bytearray(10 ** 9)\n", None), ("import os\nos._exit(3)\n", "sandbox_error"),
    ("import os\nos.kill(os.getpid(), 9)\n", "sandbox_error"),
    ("import os\ndef check(f):\n    f(1)\n    os._exit(0)\n", "exited"),
    ("def check(f):\n    f(1)\n    bytearray(10 ** 9)\n", "exited")])
def test_asserting_code_that_ends_without_a_word(csbx, python_image, asserting, status):
    """Where it fell before its first call that says nothing about the snippet; else the check has not passed."""
    (csbx.work / "snippet").write_text("def f(x):\n    return x + 1\n", encoding="utf-8")
    (csbx.work / "check").write_text(asserting, encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "--json", "--timeout", "20", "--memory", "100m", "--function", "f",
                 "--check", csbx.work / "check", csbx.work / "snippet", timeout=60)
    if status:
        r = json.loads(p.stdout)
        assert (r["status"], r["all_passed"], p.returncode) == (status, False, 1 if status == "exited" else 125)
    else:
        assert p.stdout == "" and p.returncode == 125 and "before any call" in p.stderr


def test_a_harness_that_cannot_begin(csbx, python_image):
    """The machine has no thread for it: that is no verdict."""
    (csbx.work / "snippet").write_text("def f(x):\n    return x + 1\n", encoding="utf-8")
    (csbx.work / "check").write_text("def check(f):\n    assert f(1) == 2\n", encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "--json", "--timeout", "20", "--function", "f", "--check", csbx.work / "check",
                 csbx.work / "snippet", timeout=60, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (20480000, 20480000)))
    assert json.loads(p.stdout)["status"] == "sandbox_error" and p.returncode == 125


def runs_check(init):
    """True where the program of a container is asserting code."""
    for pid in harness.descendants(init):
        try:
            if b"/csbx/check.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return True
        except OSError:
            pass
    return False


LEAVES = ["raise SystemExit('no')", "raise KeyboardInterrupt", "raise BaseExceptionGroup('x', [KeyboardInterrupt()])", "raise type('Own', (BaseException,), {})('x')", "raise type('Own', (SystemExit,), {})('x')"]


@pytest.mark.parametrize("how", LEAVES)
def test_what_is_no_exception_is_handled_as_none(csbx, python_image, how):
    """`except Exception` handles no SystemExit, in one container or in two."""
    asserting = "from solution import f\ntry:\n    f()\nexcept Exception:\n    pass\n"
    r = check(csbx, python_image, f"def f():\n    {how}\n", asserting)
    assert r["check"]["passed"] is False and not r["all_passed"], r
    asserting = "from solution import f\ntry:\n    f()\nexcept BaseException as error:\n    assert not isinstance(error, Exception)\nelse:\n    assert 0\n"
    r = check(csbx, python_image, f"def f():\n    {how}\n", asserting)
    assert r["check"]["passed"] is True, r


def test_the_text_of_what_cannot_be_told_is_no_answer(csbx, python_image):
    """Only its repr() is known: another text may be that of str() or format(). print() shows that."""
    code = "class Own:\n    def __repr__(self): return '42'\n    def __str__(self): return 'wrong'\ndef f(): return Own()\n"
    for said in ("str(f())", "f'{f()}'", "'%s' % f()", "'{}'.format(f())"):
        r = check(csbx, python_image, code, f"from solution import f\nx = f()\nprint(x)\nassert {said} == '42'\n")
        assert r["check"]["passed"] is False and "cannot be judged: 42" in r["check"]["result"]["stdout"], r
        assert r["check"]["error_summary"]["type"] == "CallFailed"
    r = check(csbx, python_image, code, "from solution import f\ntry:\n    format(f(), '>5')\nexcept TypeError:\n    pass\n")
    assert r["check"]["passed"] is False, r


def test_what_prepares_the_tests_of_a_class(csbx, python_image):
    asserting = """
from solution import f
seen = []
class TestF:
    @classmethod
    def setup_class(cls):
        seen.append("class")
    def setup_method(self, method):
        seen.append(method.__name__)
    def teardown_method(self):
        seen.append("done")
    def test_a(self):
        assert f(1) == 2 and seen == ["class", "test_a"]
    def test_b(self):
        assert f(2) == 3 and seen == ["class", "test_a", "done", "test_b"]
"""
    assert check(csbx, python_image, "def f(x): return x + 1\n", asserting)["check"]["passed"] is True
    assert check(csbx, python_image, "def f(x): return x\n", asserting)["check"]["passed"] is False


@pytest.mark.parametrize("asserting", ["assert 1 == 2", "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(1, 2)",
                                       "import subprocess, sys\np = subprocess.run([sys.executable, 'solution.py'], stdout=-1)\nassert p.stdout == b'4'"])
def test_an_assertion_about_nothing_of_the_snippet(csbx, python_image, asserting):
    """It has called nothing: it is the check that is wrong."""
    (csbx.work / "snippet").write_text("def f(): return 1")
    (csbx.work / "check").write_text(asserting + "\nfrom solution import f\nassert f() == 1\n" * ("unittest" not in asserting))
    p = csbx.run("eval", "--image", python_image, "--check", csbx.work / "check", csbx.work / "snippet")
    assert p.returncode == 125 and "check: it failed by itself, before any call of the snippet: AssertionError" in p.stderr, (p.returncode, p.stderr)


def test_an_answer_of_a_call_that_ended_the_program(csbx, python_image):
    code = "import os\ndef f():\n    os.kill(-1, 9)\ndef g(): pass\n"
    r = check(csbx, python_image, code, "from solution import f\nassert f() is None\n")
    assert not r["all_passed"] and r["check"]["error_summary"]["message"] in ("the call ended the snippet's whole program", "the call ended without returning",
                                                                               "the snippet's program has ended"), r
    assert check(csbx, python_image, code, "from solution import g\nassert g() is None\n")["all_passed"]


def test_a_check_that_pytest_runs(csbx, python_image):
    """Its end with 0 by sys.exit(pytest.main([__file__])) is that of tests that have passed: pytest is none of the image, so it is played."""
    asserting = """
import sys, types, enum
from solution import f
config = types.ModuleType("_pytest.config")
class ExitCode(enum.IntEnum):
    OK = 0
    TESTS_FAILED = 1
config.ExitCode = ExitCode
sys.modules["_pytest.config"] = config
sys.exit(ExitCode.OK if f(1) == 2 else ExitCode.TESTS_FAILED)
"""
    assert check(csbx, python_image, "def f(x): return x + 1", asserting)["all_passed"]
    assert not check(csbx, python_image, "def f(x): return x", asserting)["all_passed"]
