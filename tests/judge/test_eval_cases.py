# SPDX-License-Identifier: Apache-2.0
"""csbx eval --cases: functions and programs judged where they cannot reach."""
import json
import os
import secrets
import signal
import threading
import time
from pathlib import Path

import pytest

import harness
import snippets

CHEATS = sorted((Path(__file__).parent / "cheats").glob("*.py"))


def judge(csbx, image, code, cases, *options, function="f"):
    (csbx.work / "snippet").write_text(code, encoding="utf-8")
    (csbx.work / "cases").write_text(json.dumps(cases), encoding="utf-8")
    words = ["--function", function] if function else []
    p = csbx.run("eval", "--image", image, "--json", "--timeout", "20", *words, "--cases", csbx.work / "cases",
                 *options, csbx.work / "snippet", timeout=180)
    return snippets.parse(p)


def passed(result):
    return [c["passed"] for c in result["cases"]]


def outcomes(result):
    return [c["outcome"] for c in result["cases"]]


def details(result):
    return [c["detail"] for c in result["cases"]]


def test_values_go_in_and_come_out(csbx, python_image):
    values = [None, True, 0, -5, 10 ** 30, 1.5, -1e300, "", "é😀", "a\0b\n", [], [1, [2, []]], {}, {"a": {"b": [None]}},
              {"$tuple": [1, "x"]}, {"$set": [1, 2]}, {"$bytes": "AP8="}, {"$dict": [[1, 2], [{"$tuple": [1]}, 3]]},
              {"$float": "nan"}, {"$float": "-inf"}, {"$complex": [1.5, -2.0]}, {"$range": [0, 9, 2]},
              *(sign * (2 ** bits + more) for sign in (1, -1) for bits in (15, 31, 63, 64) for more in (-1, 0, 1))]
    r = judge(csbx, python_image, "def f(x, y): return y",
              [{"args": [0], "kwargs": {"y": v}, "expected": v} for v in values])
    assert r["all_passed"] and r["score"] == 1 and r["exit"] == 0, r["feedback"]
    assert [c["output"] for c in r["cases"]] == values
    assert [c["name"] for c in r["cases"]] == [str(i + 1) for i in range(len(values))]


def test_before_python_3_9(csbx, python_image):
    """Processes have no descriptors there."""
    site = csbx.work / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import posix\ndel posix.pidfd_open\n", encoding="ascii")
    code = """
import os, posix, time
assert not hasattr(posix, "pidfd_open")
def f(what):
    if what == "leave":
        os._exit(3)
    if what == "leave a process":
        if not os.fork():
            os.setsid()
            time.sleep(100)
    if what == "stay":
        os.closerange(4, 100)
        time.sleep(100)
    return what
"""
    r = judge(csbx, python_image, code, [{"args": [w], "expected": w} for w in ("a", "leave", "leave a process", "stay", "b")],
              "--timeout", "4", "--mount", f"{site}:/site:ro", "-e", "PYTHONPATH=/site")
    assert outcomes(r) == ["passed", "exited", "passed", "timeout", "passed"], details(r)


def test_what_is_equal(csbx, python_image):
    code = "def f(text): return eval(text, {})"
    rows = [("1", 1, True), ("1.0", 1, True), ("True", 1, True), ("'1'", 1, False), ("2**53+1", 2 ** 53, False),
            ("float(2**53)", 2 ** 53, True), ("(1, 2)", [1, 2], True), ("[1, 2]", {"$tuple": [1, 2]}, False),
            ("[2, 1]", [1, 2], False), ("{1, 2}", {"$set": [2, 1]}, True), ("{1: 2}", {"1": 2}, False),
            ("__import__('collections').Counter('aab')", {"a": 2, "b": 1}, True), ("None", None, True),
            ("object()", None, False), ("[object()]", [None], False), ("b'a'", "a", False)]
    r = judge(csbx, python_image, code, [{"args": [text], "expected": e} for text, e, _ in rows])
    assert passed(r) == [x for _, _, x in rows], details(r)
    assert r["exit"] == 1 and not r["all_passed"]


def test_other_ways_to_compare(csbx, python_image):
    code = "def f(text): return eval(text, {})"
    rows = [("[3, 1, 1, 2]", {"expected": [1, 2, 3], "compare": "set"}, True),
            ("{1, 2}", {"expected": [1, 2, 3], "compare": "set"}, False),
            ("[0.1 + 0.2, 'x']", {"expected": [0.3, "x"], "compare": "close"}, True),
            ("100.5", {"expected": 100, "compare": {"close": {"rel": 0.01}}}, True),
            ("0.001", {"expected": 0.0, "compare": {"close": {"abs": 0.0001}}}, False),
            ("print('a \\nb\\n')", {"expected": "a\nb", "compare": "stdout"}, True),
            ("print('a ')", {"expected": "a", "compare": {"stdout": {"trim": False}}}, False),
            ("{}", {"expected_type": "dict"}, True), ("{}", {"expected_type": "set"}, False),
            ("__import__('fractions').Fraction(1, 2)", {"expected_type": "Fraction"}, True),
            ("1", {"expected_type": "str|int"}, True), ("None", {"expected_type": "int | NoneType"}, True),
            ("1.5", {"expected_type": "int | str"}, False), ("1", {"expected_type": "integer | in"}, False),
            ("__import__('collections').Counter()", {"expected_type": "list | dict"}, True),
            ("__import__('fractions').Fraction(1, 2)", {"expected_type": "Decimal | Fraction"}, True),
            *((f"type({own!r}, (), {{}})()", {"expected_type": names}, False) for own in ("int ", " int", "int |", "int | str", "", " ")
              for names in ("int | str", "int|str", " int ")), ("1", {"expected_type": " int "}, True),
            ("iter([])", {"expected_type": "int | list_iterator"}, True), ("iter([])", {"expected_type": "int | list"}, False),
            ("[][1]", {"expected_exception": "IndexError"}, True),
            ("[][1]", {"expected_exception": {"type": "LookupError", "message_re": "out of \\w+"}}, True),
            ("[][1]", {"expected_exception": {"type": "LookupError", "message_re": "^range"}}, False),
            ("(_ for _ in ()).throw(ValueError('very bad'))", {"expected_exception": {"type": "ValueError", "message_re": "y[ ]b.d$"}}, True),
            ("(_ for _ in ()).throw(ValueError('\u00e9'))", {"expected_exception": {"type": "ValueError", "message_re": "^.$"}}, True),
            ("(_ for _ in ()).throw(ValueError('\u00e9'))", {"expected_exception": {"type": "ValueError", "message_re": "^\\w+$"}}, True),
            ("(_ for _ in ()).throw(ValueError('\u00c9'))", {"expected_exception": {"type": "ValueError", "message_re": "[\u00e9]"}}, False),
            ("(_ for _ in ()).throw(ValueError('a\\nc'))", {"expected_exception": {"type": "ValueError", "message_re": "a.c"}}, False),
            ("[][1]", {"expected_exception": "ValueError"}, False), ("1", {"expected_exception": "ValueError"}, False),
            ("1", {}, True)]
    r = judge(csbx, python_image, code, [{"args": [text], **more} for text, more, _ in rows])
    assert passed(r) == [x for _, _, x in rows], details(r)


def test_weights_and_words(csbx, python_image):
    r = judge(csbx, python_image, "def f(a, b=2):\n    return a + b\n",
              [{"name": "good", "args": [1], "expected": 3, "weight": 3},
               {"name": "bad", "args": ["x"], "kwargs": {"b": "y"}, "expected": "yx"},
               {"name": "type", "args": [None], "expected": 1, "weight": 0}])
    assert r["score"] == 0.75
    assert r["feedback"] == ["Case bad: f('x', b='y') returned 'xy', expected 'yx'.",
                             "Case type: f(None) raised TypeError in line 2: unsupported operand type(s) for +: "
                             "'NoneType' and 'int'."]


def test_every_case_starts_anew(csbx, python_image):
    code = "import setup_value\nseen = []\ndef f(x):\n    seen.append(x)\n    return [len(seen), setup_value.n]\n"
    (csbx.work / "setup").write_text("import sys, types\nsys.modules['setup_value'] = types.SimpleNamespace(n=7)\n", encoding="utf-8")
    r = judge(csbx, python_image, code, [{"args": [i], "expected": [1, 7]} for i in range(5)], "--setup", csbx.work / "setup")
    assert r["all_passed"], r["feedback"]


def test_methods(csbx, python_image):
    code = "class Solution:\n    def twice(self, x): return 2 * x\n"
    assert judge(csbx, python_image, code, [{"args": [4], "expected": 8}], function="Solution.twice")["all_passed"]
    r = judge(csbx, python_image, code, [{"args": [4], "expected": 8}], function="solve")
    assert details(r) == ["the snippet defines no solve"]


def test_one_bad_case_says_nothing_of_the_next(csbx, python_image):
    code = """
import ctypes, os, signal
def f(what):
    if what == "loop":
        while True: pass
    if what == "memory": return len([b"x" * 1000000 for _ in range(2000)])
    if what == "segfault": ctypes.string_at(0)
    if what == "leave": os._exit(3)
    if what == "harness": os.kill(os.getppid(), signal.SIGKILL)
    if what == "raise": raise KeyboardInterrupt
    return what
"""
    words = ["a", "loop", "b", "memory", "c", "segfault", "d", "leave", "e", "harness", "raise", "g"]
    r = judge(csbx, python_image, code, [{"args": [w], "expected": w} for w in words], "--timeout", "6", "--memory", "128m")
    # A killed harness may have passed on the answer before, or not: that depends on time, and the answer is no right
    # one.
    assert passed(r) == [w in ("a", "b", "c", "d", "e", "g") or w == "harness" and r["cases"][9]["passed"] for w in words], details(r)
    assert "6.000 s" in details(r)[1] and "memory" in details(r)[3] and "signal 11" in details(r)[5]
    assert "exit code 3" in details(r)[7]
    expected = ["passed", "timeout", "passed", "oom", "passed", "crashed", "passed", "exited", "passed", None, "raised", "passed"]
    assert [o for o, e in zip(outcomes(r), expected) if e] == [e for e in expected if e], details(r)
    assert outcomes(r)[9] in ("passed", "exited", "crashed") and r["status"] == "oom"


OUTCOMES = [
    ("1", {"expected": 1}, "passed"), ("1", {"expected": 2}, "wrong_value"), ("object()", {"expected": 2}, "wrong_value"),
    ("1", {"expected": 1, "expected_type": "str"}, "wrong_type"), ("1", {"expected_exception": "E"}, "no_exception"),
    ("[][1]", {"expected_exception": "KeyError"}, "wrong_exception"), ("[][1]", {"expected": 1}, "raised"),
    ("[][1]", {"expected_exception": {"type": "IndexError", "message_re": "^x"}}, "wrong_exception"),
    ("print('a')", {"expected": "b", "compare": "stdout"}, "wrong_output"), ("os._exit(0)", {"expected": 1}, "exited"),
    ("os.abort()", {"expected": 1}, "crashed"), ("os.write(3, bytes(16))", {"expected": 16}, "passed"),
    ("[os.write(3, bytes(16)) for _ in range(10 ** 6)]", {"expected": 1}, "bad_answer")]


def test_each_outcome(csbx, python_image):
    """One word a case, for programs; a function that is not there is told apart from one that raises."""
    code = "import os\ndef f(text): return eval(text)"
    r = judge(csbx, python_image, code, [{"args": [text], **more} for text, more, _ in OUTCOMES])
    assert outcomes(r) == [o for _, _, o in OUTCOMES], details(r)
    r = judge(csbx, python_image, code, [{"args": [1]}], function="g")
    assert outcomes(r) == ["missing"]
    r = judge(csbx, python_image, "import os", [{"args": [1]}], "--deny-import", "os")
    assert (outcomes(r), r["status"]) == (["not_run"], "policy_violation")


@pytest.mark.parametrize("function", ["f", None])
def test_where_all_cases_hang_the_result_says_so(csbx, python_image, function):
    code = "import time\n" + ("def f(x): time.sleep(60)" if function else "time.sleep(60)")
    case = {"args": [1]} if function else {"stdin": "1"}
    r = judge(csbx, python_image, code, [case] * 2, "--timeout", "1", function=function)
    assert outcomes(r) == ["timeout"] * 2 and (r["status"], r["timed_out"], r["success"], r["exit"]) == ("timeout", True, False, 1)


@pytest.mark.parametrize("function", ["f", None])
def test_fail_fast(csbx, python_image, function):
    code = "def f(x): return x" if function else "print(input())"
    cases = [{"args": [x], "expected": 1} if function else {"stdin": str(x), "expected": "1"} for x in (1, 2, 1)]
    r = judge(csbx, python_image, code, cases, "--fail-fast", function=function)
    bad = "wrong_value" if function else "wrong_output"
    assert outcomes(r) == ["passed", bad, "not_run"] and "--fail-fast" in details(r)[2], details(r)
    assert judge(csbx, python_image, code, [cases[0]] * 3, "--fail-fast", function=function)["all_passed"]
    # One that takes the container with it counts as well.
    if function:
        r = judge(csbx, python_image, "import os\ndef f(x): os.kill(os.getppid(), 9); os.kill(os.getpid(), 9)", cases, "--fail-fast")
        assert outcomes(r)[1:] == ["not_run"] * 2 and not r["all_passed"], details(r)


@pytest.mark.parametrize("function", ["f", None])
def test_a_budget_for_all_cases(csbx, python_image, function):
    code = "import time\n" + ("def f(x):\n    time.sleep(x)\n    return x" if function else "x = input()\ntime.sleep(int(x))\nprint(x)")
    cases = [{"args": [x], "expected": x} if function else {"stdin": str(x), "expected": str(x)} for x in (0, 60, 0, 0)]
    r = judge(csbx, python_image, code, cases, "--total-timeout", "8", function=function)
    assert outcomes(r) == ["passed", "timeout", "not_run", "not_run"] and r["status"] == "timeout", (details(r), r["status"])
    assert "--total-timeout" in details(r)[3] and r["wall_s"] < 19
    (csbx.work / "line").write_text(json.dumps({"id": 1, "code": code, "function": function, "cases": cases, "total_timeout": 8,
                                                "fail_fast": True}), encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "--timeout", "20", "--batch", csbx.work / "line", timeout=180)
    assert outcomes(json.loads(p.stdout)) == ["passed", "timeout", "not_run", "not_run"], p.stdout


def test_options_of_cases_need_cases(csbx, python_image):
    for words in (["--fail-fast"], ["--total-timeout", "1"]):
        csbx.fails("eval", "--image", python_image, *words, stdin="pass", says="--cases")


def test_a_snippet_that_does_not_load(csbx, python_image):
    r = judge(csbx, python_image, "def f(x): return x\nf(1)\nnosuch\n", [{"args": [1], "expected": 1}] * 2)
    assert outcomes(r) == ["not_loaded"] * 2 and passed(r) == [False, False] and r["completed"] is False
    assert r["error_summary"] == {"type": "NameError", "message": "name 'nosuch' is not defined", "line": 3}
    assert 'File "/csbx/snippet.py", line 3' in r["stderr"] and "/proc/" not in r["stderr"]
    r = judge(csbx, python_image, "while True: pass", [{"args": [1]}], "--timeout", "1")
    assert (outcomes(r), r["status"], r["exit"]) == (["timeout"], "timeout", 1)
    r = judge(csbx, python_image, "import os\nos.kill(os.getpid(), 9)", [{"args": [1]}])
    assert (outcomes(r), r["status"]) == (["crashed"], "signaled")


def test_programs_with_input(csbx, python_image):
    code = "import sys\nn = int(input())\nprint(*[int(x) * n for x in sys.stdin.read().split()])\nif n == 9: sys.exit(4)\n"
    cases = [{"stdin": "2\n1 2 3\n", "expected": "2 4 6"}, {"stdin": "3\n1\n", "expected": "4\n", "name": "wrong"},
             {"stdin": "x\n", "expected": ""}, {"stdin": "9\n1", "expected": "9"}, {"stdin": "1\n5", "expected": "5\n\n"}]
    r = judge(csbx, python_image, code, cases, function=None)
    assert passed(r) == [True, False, False, False, True], details(r)
    assert r["feedback"][-3] == "Case wrong: printed '3\\n', expected '4\\n'."
    assert "ValueError" in details(r)[2] and "SystemExit" in details(r)[3]
    assert r["score"] == 0.4 and r["exit"] == 1


@pytest.mark.parametrize("cases, says", [
    ([], "there is none"), ({}, "cases"), ([1], "case 1: must be an object"), ([{"args": 1}], "case 1: args"),
    ([{}, {"expectd": 1}], "case 2: expectd: unknown member"), ([{"compare": "maybe"}], "compare"),
    ([{"expected_exception": {"type": "E", "message_re": "(?=x)"}}], "message_re"),
    *[([{"expected_exception": {"type": "E", "message_re": text}}], "is not known here") for text in ("[\\W]", "a**", "a+{2}", "[[:alpha:]]")], ([{"weight": -1}], "weight: must be a number that is not negative"),
    ([{"weight": 1e300}], "weight: must be a number below 1e300"),
    ([{"compare": {"close": {"abs": 1e308}}, "expected": 1}], "close: must be a number below 1e300"),
    ([{"stdin": ""}], "stdin"), ([{"expected": {"$set": [1, 1.0]}}], "twice"), ([{"kwargs": []}], "kwargs"),
    ([{"expected": 1, "compare": "stdout"}], "expected"),
    *[([{}, {"args": [value]}], "case 2: args: Python has no") for value in (
        {"$set": [[1]]}, {"$set": [{"a": 1}]}, {"$set": [1, {"$set": [1]}]}, {"$set": [{"$tuple": [1, {"$tuple": [[]]}]}]}, {"$dict": [[[1], 2]]},
        [{"a": {"$tuple": [{"$dict": [[1, 2], [{"$dict": []}, 2]]}]}}], {"$dict": [[1, {"$set": [{}]}]]})],
    ([{"kwargs": {"x": {"$set": [[1]]}}}], "case 1: kwargs: Python has no set with an array")])
def test_mistakes_in_cases(csbx, python_image, cases, says):
    (csbx.work / "cases").write_text(json.dumps(cases), encoding="utf-8")
    csbx.fails("eval", "--image", python_image, "--function", "f", "--cases", csbx.work / "cases", stdin="pass", says=says)


@pytest.mark.parametrize("text, says", [(b"[{", "at column 3"), (b'[{"a": 1, "a": 2}]', "twice"), (b"\xff", "UTF-8"),
                                        (b"[" * 1000, "nested"), (b'[{"args": [01]}]', "column")])
def test_files_that_are_no_cases(csbx, python_image, text, says):
    (csbx.work / "cases").write_bytes(text)
    csbx.fails("eval", "--image", python_image, "--function", "f", "--cases", csbx.work / "cases", stdin="pass", says=says)


def token_cases(n=12):
    return [{"name": f"CASE-{secrets.token_hex(16)}", "args": [i], "expected": f"TOKEN-{secrets.token_hex(16)}"} for i in range(n)]


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda p: p.stem)
def test_cheats(csbx, python_image, cheat):
    """Not one case passes, and nothing that comes back has a word of what is expected, or of a case's name."""
    cases = token_cases()
    r = judge(csbx, python_image, cheat.read_text(encoding="utf-8"), cases, "--timeout", "2")
    assert passed(r) == [False] * len(cases) and r["score"] == 0 and r["exit"] == 1, details(r)
    said = json.dumps([[c["output"] for c in r["cases"]], r["stdout"], r["stderr"], r["argv"]])
    assert not [c for c in cases if c["name"] in said or c["expected"] in said]


def test_a_search_that_finds(csbx, python_image):
    """The searches would find a token if there were one."""
    cases = token_cases(1)
    for cheat, options in (("search_environment", ["-e", f"X={cases[0]['expected']}"]), ("search_heap", ["-e", f"X={cases[0]['expected']}"]),
                           ("search_proc", ["-e", f"X={cases[0]['expected']}"])):
        code = (Path(__file__).parent / "cheats" / f"{cheat}.py").read_text(encoding="utf-8")
        assert judge(csbx, python_image, code, cases, *options)["all_passed"], cheat


def test_the_next_case_is_not_to_blame(csbx, python_image):
    """A case that is killed too late takes its container with it, and the next runs in another, even if its end is told meanwhile."""
    code = """
import sys, time
frame = sys._getframe()
while "serve" not in frame.f_globals:
    frame = frame.f_back
space = frame.f_globals
kill = space["kill"]

def late(pid):
    time.sleep(1)  # as long as csbx waits for it
    space["send"](b"E", int.from_bytes(sys._getframe(1).f_locals["head"][8:], "little"), b"i9;")
    kill(pid)

space["kill"] = late

def f(x):
    if x == 1:
        time.sleep(100)
    return x
"""
    r = judge(csbx, python_image, code, [{"args": [i], "expected": i} for i in (1, 2, 3)], "--timeout", "15")
    assert passed(r) == [False, True, True], details(r)
    assert "15.000 s" in details(r)[0]


REPLAY = """
import os, sys

def frame(kind, number, payload=b""):
    return kind + bytes(3) + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload

def answer(n):
    return b"l4:s1:Rs3:inti%d;N" % (n * n)

def number():
    at = sys._getframe()
    while "number" not in at.f_locals:
        at = at.f_back
    return int.from_bytes(at.f_locals["number"], "little")

def f(n):
    mine = number()
    if n == 1:  # honest, and answers what is to come in advance
        with open("old", "w") as file:
            file.write(str(mine))
        for other in (0, 1, mine + 1, mine - 1, mine ^ 1):
            os.write(3, frame(b"A", other, answer(2)) + frame(b"E", other, b"i0;"))
        return 1
    old = int(open("old").read())  # and answers rightly later, as the one before
    os.write(3, frame(b"A", old, answer(n)) + frame(b"E", old, b"i0;"))
    return -1
"""


def test_no_answer_is_for_another_case(csbx, python_image):
    """Neither one that comes before its question nor one under the number of an earlier case."""
    r = judge(csbx, python_image, REPLAY, [{"args": [n], "expected": n * n} for n in (1, 2, 3)])
    assert passed(r) == [True, False, False], details(r)
    assert "-1" in details(r)[1] and "-1" in details(r)[2]


def test_a_case_ended_by_itself_is_not_the_next(csbx, python_image):
    """csbx asks a fork nothing more that says its case is over and goes on, and drops its answers."""
    code = REPLAY.replace("    if n == 1:", "    if n == 1:\n        os.write(3, frame(b'A', mine, answer(1)) + frame(b'E', mine, b'i0;'))\n"
                          "        import time\n        for _ in range(20):\n            time.sleep(0.05)\n"
                          "            os.write(3, frame(b'A', mine, answer(2)) + frame(b'A', mine, answer(3)))\n"
                          "        return -1\n    if n == 0:").replace('    old = int(open("old").read())', "    return -1\n    old = 0")
    r = judge(csbx, python_image, code, [{"args": [n], "expected": n * n} for n in (1, 2, 3)])
    assert passed(r)[1:] == [False, False], details(r)


def test_other_names_of_members(csbx, python_image):
    code = "def f(x, y=0): return x + y"
    r = judge(csbx, python_image, code, [{"input_args": [1], "input_kwargs": {"y": 2}, "expected_output": 3},
                                         {"args": [1], "expected_output": 2}])
    assert passed(r) == [True, False]
    r = judge(csbx, python_image, "print(int(input()) * 2)", [{"input": "4\n", "output": "8"}, {"stdin": "4", "expected_output": "9"}],
              function=None)
    assert passed(r) == [True, False]


@pytest.mark.parametrize("case, says", [
    ({"args": [1], "input_args": [1]}, "args and input_args"), ({"expected": 1, "expected_output": 1}, "expected and expected_output"),
    ({"args": [{"$tuple": 3}]}, "$tuple: must be an array"), ({"args": [], "expected": {"$float": "big"}}, "$float"),
    ({"args": [{"$bytes": "%"}]}, "$bytes"), ({"args": [{"$dict": [[1]]}]}, "$dict"), ({"args": [], "input": "x"}, "stdin")])
def test_mistakes_in_cases_are_named(csbx, python_image, case, says):
    (csbx.work / "cases").write_text(json.dumps([case]), encoding="utf-8")
    csbx.fails("eval", "--image", python_image, "--function", "f", "--cases", csbx.work / "cases", stdin="def f(): pass", says=says)


def test_a_table_for_people(csbx, python_image):
    (csbx.work / "cases").write_text(json.dumps([{"name": "good\x1b[1m", "args": [1], "expected": 1},
                                                 {"name": "bad", "args": [2], "expected": 1, "weight": 3}]), encoding="utf-8")
    words = ["eval", "--image", python_image, "--function", "f", "--cases", csbx.work / "cases", "-"]
    p = csbx.run(*words, stdin="def f(x): return x")
    assert p.returncode == 1 and "\x1b" not in p.stdout
    rows = [line.split() for line in p.stdout.splitlines()]
    assert rows[0] == ["CASE", "RESULT", "MS", "DETAIL"]
    assert rows[1][:2] == ["good\\x1b[1m", "passed"] and rows[2][:2] == ["bad", "wrong_value"] and "returned 2, expected 1" in p.stdout
    assert rows[3] == ["1", "of", "2", "passed,", "score", "0.25"]
    p = csbx.run(*words, stdin="def f(x): return 1")
    assert p.returncode == 0 and "2 of 2 passed" in p.stdout


def test_the_clock_of_loading_is_the_snippets(csbx, python_image):
    code = "import time\ntime.sleep(30)\ndef f(): pass"
    r = judge(csbx, python_image, code, [{"args": []}], "--timeout", "1")
    assert r["status"] == "timeout" and passed(r) == [False] and r["wall_s"] < 25


EATS = "def f(x):\n    if not x:\n        bytearray(10 ** 9)\n    import time\n    print('waits', flush=True)\n    time.sleep(60)\n"
PROGRAM = "import time\nif not int(input()):\n    raise SystemExit(1)\ntime.sleep(60)\n"


@pytest.mark.parametrize("code, cases, function, first", [
    (EATS, [{"args": [0]}, {"args": [1]}], "f", "oom"),
    (PROGRAM, [{"stdin": "0", "expected": ""}, {"stdin": "1", "expected": ""}], None, "raised"),
])
def test_a_container_that_is_killed_after_a_case_that_failed(csbx, python_image, running, code, cases, function, first):
    """What csbx says of itself comes before what it says of the program: a score would count what was not run."""
    killed = []

    def kill():
        end = time.monotonic() + 60
        before = None
        while time.monotonic() < end and not killed:
            for instance in running():
                before = before or instance["id"]
                if instance["id"] != before and instance.get("pid"):
                    time.sleep(0.5)  # it may be at its start: that is no matter
                    os.kill(instance["pid"], signal.SIGKILL)
                    killed.append(instance["id"])
                    return
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    r = judge(csbx, python_image, code, cases, "--memory", "100m", function=function)
    thread.join()
    assert killed and outcomes(r) == [first, "not_run"], r["cases"]
    assert (r["status"], r["exit_code"], r["all_passed"]) == ("sandbox_error", 125, False) and r["error"]["code"] == "sandbox"


@pytest.mark.parametrize("end", ["signal", "stop"])
@pytest.mark.parametrize("way", ["function", "input", "check"])
def test_an_end_from_outside_is_no_verdict(csbx, python_image, way, end):
    """The caller ends csbx, or the container: what became of a case then says nothing of the program, and no other is run."""
    code = "import time\nprint('waits', flush=True)\n"
    (csbx.work / "cases").write_text(json.dumps([{"stdin": "", "expected": "x"}] * 2 if way == "input" else [{"args": [1], "expected": 1}] * 2),
                                     encoding="utf-8")
    (csbx.work / "check").write_text("def check(f):\n    f(1)\n", encoding="utf-8")
    (csbx.work / "snippet").write_text(code + ("time.sleep(60)\n" if way == "input" else "def f(x):\n    time.sleep(60)\n"), encoding="utf-8")
    words = {"function": ["--function", "f", "--cases", csbx.work / "cases"], "input": ["--cases", csbx.work / "cases"],
             "check": ["--function", "f", "--check", csbx.work / "check"]}[way]
    with csbx.popen("eval", "--image", python_image, "--json", "--timeout", "30", *words, csbx.work / "snippet", text=True) as p:
        while not any(name.startswith("python") for name in harness.descendants(p.pid).values()):
            time.sleep(0.05)
        time.sleep(1)
        if end == "signal":
            p.send_signal(signal.SIGTERM)
        else:
            csbx.run("stop", *(x["id"] for x in json.loads(csbx.ok("list", "--json"))["instances"]))
        out, said = p.communicate(timeout=60)
    r = json.loads(out)
    assert (r["status"], r["all_passed"], p.returncode) == ("sandbox_error", False, 125), r
    assert ("signal 15" if end == "signal" else "told to end") in said
    assert way == "check" or outcomes(r)[1] == "not_run"


def numbers(result):
    return [c["output"] for c in result["cases"]]


def test_the_module_random_is_as_the_snippet_has_seeded_it(csbx, python_image):
    """A fork seeds it anew, and a case is one."""
    own = "import random\nrandom.seed(0)\nexpected = random.randint(1, 10 ** 9)\nprint(expected)\n"
    (csbx.work / "own").write_text(own)
    expected = int(snippets.parse(csbx.run("eval", "--image", python_image, "--json", csbx.work / "own"))["stdout"])
    f = "def f(x): return random.randint(1, 10 ** 9)\n"
    want = [{"args": [n], "expected": expected} for n in range(3)]
    for code in ("import random\nrandom.seed(0)\n" + f, "from random import seed\nimport random\nseed(a=0)\n" + f,
                 "import random\nrandom.seed(0)\nstate = random.getstate()\nrandom.random()\nrandom.setstate(state)\n" + f,
                 "import random\nrandom.seed()\n" + f + "random.seed(0)\n", "import random\n" + f.replace("return", "random.seed(0); return")):
        assert passed(judge(csbx, python_image, code, want)) == [True] * 3, code
    # what is drawn while it is loaded counts
    code = "import random\nrandom.seed(0)\nrandom.random()\n" + f
    assert passed(judge(csbx, python_image, code, want)) == [False] * 3
    for code in ("import random\n" + f, "import random\nrandom.seed()\n" + f, "import random\nrandom.seed(0)\nrandom.seed(None)\n" + f,
                 "import random  # seed\n" + f):
        assert len(set(numbers(judge(csbx, python_image, code, [{"args": [n]} for n in range(4)])))) == 4, code


def test_a_name_ends_where_it_ends(csbx, python_image):
    """A program that writes its answers by hand hides nothing behind a NUL."""
    forged = """
import os, sys
def text(s): return b"s%d:" % len(s) + s
def f(kind):
    number = sys._getframe(1).f_locals["number"]
    if kind == "E":
        payload = b"l6:s1:E" + text(b"ValueError\\0zz") + text(b"") + text(b"m") + b"i1;N"
    elif kind == "base":
        payload = b"l6:s1:E" + text(b"Own") + text(b"ValueError\\0zz") + text(b"m") + b"i1;N"
    else:
        payload = b"l4:s1:R" + text(b"Own\\0zz") + b"o" + text(b"Own\\0zz") + text(b"x") + b"N"
    os.write(3, b"A\\0\\0\\0" + len(payload).to_bytes(4, "little") + number + payload)
    os._exit(0)
"""
    cases = [{"args": ["E"], "expected_exception": "ValueError"}, {"args": ["base"], "expected_exception": "ValueError"}, {"args": ["R"], "expected_type": "Own"}]
    assert passed(judge(csbx, python_image, forged.replace("\\0zz", ""), cases)) == [True] * 3
    r = judge(csbx, python_image, forged, cases)
    assert outcomes(r) == ["bad_answer"] * 3, r["cases"]


@pytest.mark.parametrize("name", ["Solution().add", "Solution.add"])
def test_a_method_as_data_sets_name_it(csbx, python_image, name):
    code = "class Solution:\n    def add(self, a, b): return a + b\n"
    assert passed(judge(csbx, python_image, code, [{"args": [1, 2], "expected": 3}], function=name)) == [True]
    assert passed(judge(csbx, python_image, code, [{"args": [1, 2], "expected": 4}], function=name)) == [False]


@pytest.mark.parametrize("name", ["add(1)", "Solution(1).add", "a b", "1a", ".a", "a.", "lambda: 1", "Solution()"])
def test_a_name_that_no_function_has(csbx, python_image, name):
    (csbx.work / "snippet").write_text("pass")
    (csbx.work / "cases").write_text('[{"expected": 1}]')
    p = csbx.run("eval", "--image", python_image, "--function", name, "--cases", csbx.work / "cases", csbx.work / "snippet")
    assert p.returncode == 125 and f"--function: {name}: is no function's name" in p.stderr, p.stderr
