# SPDX-License-Identifier: Apache-2.0
"""csbx eval --batch: a line in, a record out."""
import base64
import json
import os
import resource
import signal
import time
from pathlib import Path

import pytest

import harness

from resultschema import checked
from terminal import Terminal


def lines(*objects):
    return "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in objects)


def batch(csbx, image, *objects, options=(), code=0):
    (csbx.work / "in").write_text(lines(*objects), encoding="utf-8")
    p = csbx.run("eval", "--image", image, "-j", "2", *options, "--batch", csbx.work / "in", timeout=180)
    assert p.returncode == code, p.stderr
    return [checked(json.loads(line)) for line in p.stdout.splitlines()]


def test_every_line_has_its_record(csbx, python_image):
    code = "import os, sys\nprint(sys.argv[1:], sys.stdin.read(), os.environ.get('X'), open('d/f').read())"
    records = batch(
        csbx, python_image, {"id": "a", "code": "print(6 * 7)"}, "{bad", "", "[1]",
        {"id": 2, "code": code, "args": ["x", "é"], "stdin": "in\0", "env": {"X": "y"},
         "files": {"d/f": base64.b64encode(b"file").decode()}, "timeout": "20s", "memory": "200m"},
        {"id": "f", "function": "f", "code": "def f(x): return x", "cases": [{"args": [1], "expected": 1}, {"args": [1], "expected": 2}]},
        {"id": "p", "code": "print(int(input()) + 1)", "cases": [{"stdin": "4", "expected": "5"}]},
        {"id": "t", "code": "while True: pass", "timeout": 0.5}, {"code": "1 / 0"},
        {"id": "u", "code": "pass", "colour": "red"}, {"id": "w", "code": "pass", "files": {"../x": ""}},
        {"id": "n"}, {"id": "m", "code": "pass", "timeout": -1}, {"id": [1], "code": "pass"},
        {"id": "b", "code": "pass", "file": "x"}, code=1)
    assert len(records) == 14
    by_id = {r["id"]: r for r in records if r["id"] is not None}
    assert by_id["a"]["stdout"] == "42\n" and by_id["a"]["success"] and by_id["a"]["instance"]
    assert by_id[2]["stdout"] == "['x', 'é'] in\0 y file\n", by_id[2]
    assert (by_id[2]["timeout_s"], by_id[2]["memory_limit_bytes"]) == (20, 200 << 20)
    assert [c["passed"] for c in by_id["f"]["cases"]] == [True, False] and by_id["p"]["all_passed"]
    assert by_id["t"]["status"] == "timeout"
    for label, word in (("u", "colour"), ("w", "../x"), ("n", "code"), ("m", "timeout"), ("b", "code and file")):
        assert by_id[label]["status"] == "bad_line" and word in by_id[label]["error"]["message"]
    nameless = {r.get("line", r["status"]): r for r in records if r["id"] is None}
    assert sorted(map(str, nameless)) == ["14", "2", "4", "exited"]
    assert nameless["exited"]["error_summary"]["type"] == "ZeroDivisionError"


def test_records_come_as_they_end(csbx, python_image):
    p = csbx.popen("eval", "--image", python_image, "-j", "2", "--timeout", "60", "--batch", "-", stdin=-1)
    p.stdin.write(lines({"id": 1, "code": "import time; time.sleep(50)"}, {"id": 2, "code": "pass"}).encode())
    p.stdin.flush()
    assert json.loads(p.stdout.readline())["id"] == 2
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=30)
    assert (p.returncode, out) == (128 + signal.SIGINT, b"")
    assert err.startswith(b"csbx: eval --batch: 1 line was done in ") and err.count(b"\n") == 1


def test_input_from_who_does_not_wait(csbx, python_image):
    """A standard input with O_NONBLOCK is waited for: lines of a batch, and a snippet."""
    todo = lines({"id": 1, "code": "print(1)"}, {"id": 2, "code": "print('" + "x" * 150000 + "')"}).encode()
    code, out, err = harness.run_without_waiting(csbx, todo, "eval", "--image", python_image, "--timeout", "60", "--batch", "-")
    assert (code, err) == (0, b"")
    assert sorted((r["id"], r["success"]) for r in map(json.loads, out.splitlines())) == [(1, True), (2, True)]
    assert harness.run_without_waiting(csbx, b"print(6 * 7)", "eval", "--image", python_image, "-") == (0, b"42\n", b"")


def test_an_output_is_added_to(csbx, python_image):
    todo = [{"id": str(i), "code": f"print({i})"} for i in range(6)]
    options = ("-o", csbx.work / "out")
    (csbx.work / "out").write_text("", encoding="ascii")
    os.chmod(csbx.work / "out", 0o666)
    assert batch(csbx, python_image, *todo[:3], options=options) == []
    text = (csbx.work / "out").read_text(encoding="utf-8")
    # A record that was cut off, one of a sandbox that failed and one of a bad line are done again.
    (csbx.work / "out").write_text(text + lines({"id": "3", "status": "launch_error"}, {"id": "4", "status": "bad_line"}) +
                                   '{"id": "5", "status": "exi', encoding="utf-8")
    batch(csbx, python_image, *todo, options=options)
    records = [json.loads(line) for line in (csbx.work / "out").read_text(encoding="utf-8").splitlines()]
    assert [r["id"] for r in records[:5]][3:] == ["3", "4"]
    assert sorted(r["id"] for r in records[5:]) == ["3", "4", "5"]
    assert sorted(r["id"] for r in records if r["status"] == "exited") == ["0", "1", "2", "3", "4", "5"]


def test_lines_that_share_an_id(csbx, python_image):
    """Samples of one task are judged each, and each once, also by a batch that goes on."""
    todo = [{"task_id": "t", "code": f"print({n})"} for n in range(3)] + ["{bad", {"id": 7, "code": "print(7)"}, {"id": "t", "code": 1}]
    options = ("-o", csbx.work / "out")
    output = csbx.work / "out"
    output.write_text("", encoding="ascii")
    os.chmod(output, 0o666)

    def records():
        found = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
        assert all(checked(r) for r in found)
        return sorted((r.get("occurrence", 1), r["stdout"]) for r in found if r["id"] == "t" and r["status"] == "exited")
    batch(csbx, python_image, *todo, options=options, code=1)
    assert records() == [(1, "0\n"), (2, "1\n"), (3, "2\n")]
    bad = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines() if "bad_line" in line]
    assert sorted((r["id"] or "", r.get("occurrence")) for r in bad) == [("", None), ("t", 4)]
    # The record of the second is missing: of the three it is that one which is done.
    output.write_text("".join(line + "\n" for line in output.read_text(encoding="utf-8").splitlines() if '"occurrence":2' not in line),
                      encoding="utf-8")
    assert records() == [(1, "0\n"), (3, "2\n")]
    batch(csbx, python_image, *todo, options=(*options, "--report", csbx.work / "r.html"), code=1)
    assert records() == [(1, "0\n"), (2, "1\n"), (3, "2\n")]
    report = (csbx.work / "r.html").read_text(encoding="utf-8")
    assert all(f">{name}<" in report for name in ("t", "t (2)", "t (3)", "t (4)")) and report.count(">t (2)<") == 1


def test_a_bad_line_says_which(csbx, python_image):
    """Its id is told as far as the line can be read."""
    records = batch(csbx, python_image, '{"id": "a", "code": ', '{"code": "", "cases": [{"expected": {"$tuple": 1}}], "task_id": "b"}',
                    {"id": "c", "code": "print(1)", "memory": 5}, {"id": "d", "code": "print(1)", "memory": "1k"}, code=1)
    by_id = {r["id"]: (r["line"], r["status"], r["error"]["message"]) for r in records}
    assert by_id.pop("a") == (1, "bad_line", "JSON: unexpected end at column 21")
    assert by_id.pop("b") == (2, "bad_line", "$tuple: must be an array")
    assert {k: v[1:] for k, v in by_id.items()} == {
        k: ("bad_line", "memory: must be bytes, or a text as --memory takes, and at least 1m") for k in "cd"}


def test_two_members_that_mean_the_same(csbx, python_image):
    """None of them is dropped: the line is wrong, and says which two. Where both say the same they are one."""
    code = "def f(x): return x\ndef g(x): return 0\n"
    right, wrong, cases = "from solution import f\nassert f(1) == 1", "from solution import f\nassert f(1) == 2", [{"args": [1], "expected": 1}]
    bad = ({"check": right, "test": wrong}, {"test": wrong, "check": right}, {"function": "f", "entry_point": "g", "cases": cases},
           {"entry_point": "g", "function": "f", "cases": cases}, {"test_list": ["assert f(1) == 2"], "check": right},
           {"check": right, "test_list": ["assert f(1) == 2"]}, {"test": right, "test_list": ["assert f(1) == 2"]}, {"test": right, "test_list": 1})
    good = ({"check": right, "test": right}, {"function": "f", "entry_point": "f", "cases": cases}, {"check": right, "test": None},
            {"test_list": None, "check": right}, {"test_list": [], "test": right}, {"test_list": ["assert f(1) == 1"], "test": None})
    records = batch(csbx, python_image, *({"id": n, "code": code, **line} for n, line in enumerate(bad + good)), code=1)
    for record in records:
        n = record["id"]
        if n >= len(bad):
            assert record["all_passed"], record
            continue
        named = [word for word in ("check", "test", "function", "entry_point", "test_list") if word in bad[n]]
        message = record["error"]["message"]
        assert record["status"] == "bad_line" and set(named) <= set(message.partition(": ")[0].split(" and ")) and "leave" in message, record


def test_a_file_that_is_too_large_is_the_lines(csbx, python_image):
    (csbx.work / "big.py").write_bytes(b"#" * (17 << 20))
    os.chmod(csbx.work / "big.py", 0o644)
    [record] = batch(csbx, python_image, {"id": 1, "file": str(csbx.work / "big.py")}, code=1)
    assert record["status"] == "bad_line" and "larger than 16 MiB" in record["error"]["message"], record


def test_an_output_that_is_the_input(csbx, python_image):
    given = csbx.work / "in"
    given.write_text(lines({"id": 1, "code": "1"}) + '{"id": 2, "co', encoding="utf-8")
    os.chmod(given, 0o666)
    os.link(given, csbx.work / "hard")
    os.symlink("in", csbx.work / "soft")
    before = given.read_bytes()

    def refused(*argv, **streams):
        p = csbx.popen(*argv, **streams)
        _, err = p.communicate(timeout=60)
        assert p.returncode == 125 and b"is the file that --batch reads" in err, err
    for verb in (["eval"], ["test", "--repo", "/"]):
        for source, output in ((given, given), (given, csbx.work / "hard"), (given, csbx.work / "soft"), ("-", given)):
            with open(given, "rb") as stdin:
                refused(*verb, "--image", python_image, "--batch", source, "-o", output, stdin=stdin)
    with open(given, "ab") as stdout:
        refused("eval", "--image", python_image, "--batch", given, stdout=stdout)
    assert given.read_bytes() == before


def test_an_image_without_the_interpreter(csbx, python_image):
    """The image is at fault: the batch says so, and does the line again when the image has it."""
    options = ("-o", csbx.work / "out")
    (csbx.work / "out").write_text("", encoding="ascii")
    os.chmod(csbx.work / "out", 0o666)
    for _ in range(2):
        batch(csbx, python_image, {"id": 1, "code": "1", "lang": "node"}, {"id": 2, "code": "1"}, options=options, code=1)
    records = [json.loads(line) for line in (csbx.work / "out").read_text(encoding="utf-8").splitlines()]
    assert sorted((r["id"], r["status"]) for r in records) == [(1, "launch_error"), (1, "launch_error"), (2, "exited")]


def test_a_line_of_100_megabytes(csbx, python_image):
    with open(csbx.work / "in", "wb") as f:
        f.write(b'{"id": 1, "code": "print(1)"}\n{"id":"big","code": "')
        for _ in range(100):
            f.write(b"x" * 1000000)
        f.write(b'"}\n{"id": 3, "code": "print(3)"}')
    p = csbx.run("eval", "--image", python_image, "-j", "1", "--batch", csbx.work / "in", timeout=180, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (400 << 20, 400 << 20)))
    records = {r["id"]: r for r in map(json.loads, p.stdout.splitlines())}
    assert p.returncode == 1 and sorted(map(str, records)) == ["1", "3", "big"], p.stderr
    assert "3 of 3 lines were done" in p.stderr and "1 is a wrong line (bad_line)" in p.stderr
    assert records["big"]["line"] == 2 and (records["big"]["status"], records["big"]["error"]["message"]) == ("bad_line", "longer than 32 MiB")
    assert records[1]["stdout"] == "1\n" and records[3]["stdout"] == "3\n"


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing(csbx, python_image, sig):
    (csbx.work / "in").write_text(lines(*({"id": i, "code": "import time; time.sleep(100)"} for i in range(9))), encoding="utf-8")
    p = csbx.popen("eval", "--image", python_image, "--timeout", "100", "-j", "3", "--batch", csbx.work / "in")
    deadline = time.monotonic() + 60
    while len(list((csbx.dirs["run"] / "instances").glob("*"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    p.send_signal(sig)
    out, err = p.communicate(timeout=30)
    assert (p.returncode, out) == (128 + sig, b""), err
    assert b"0 of 9 lines were done" in err and err.count(b"\n") == 1


def test_a_line_that_is_told_to_end_has_no_verdict(csbx, python_image):
    """A signal to the process of one line is passed on to its program, and says nothing of that."""
    waits = {"id": "waits", "code": "import time\nprint('waits', flush=True)\ntime.sleep(60)"}
    (csbx.work / "in").write_text(lines(*({"id": i, "code": "pass"} for i in range(4)), waits, {"id": "last", "code": "pass"}), encoding="utf-8")
    with csbx.popen("eval", "--image", python_image, "-j", "1", "--timeout", "50", "--batch", csbx.work / "in",
                    text=True) as p:
        records = [json.loads(p.stdout.readline()) for _ in range(4)]
        time.sleep(1)
        for pid, name in harness.descendants(p.pid).items():
            if name == "csbx-tool":
                os.kill(pid, signal.SIGTERM)
        records += map(json.loads, p.communicate(timeout=60)[0].splitlines())
    assert [(r["id"], r["status"]) for r in records[4:]] == [("waits", "sandbox_error"), ("last", "exited")], records[4:]
    assert p.returncode == 1


def test_ctrl_c_ends_within_a_second(csbx, python_image):
    """Also where programs do not listen: they were waited for three seconds."""
    code = "import signal, time\nfor s in (signal.SIGTERM, signal.SIGINT): signal.signal(s, signal.SIG_IGN)\nopen('/shared/' + str(%d), 'w')\ntime.sleep(100)"
    shared = csbx.work / "shared"
    shared.mkdir()
    (csbx.work / "in").write_text(lines(*({"id": i, "code": code % i} for i in range(9))), encoding="utf-8")
    p = csbx.popen("eval", "--image", python_image, "--mount", f"{shared}:/shared", "--timeout", "100", "-j", "2",
                   "-o", csbx.work / "out", "--batch", csbx.work / "in")
    deadline = time.monotonic() + 60
    while len(list(shared.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    began = time.monotonic()
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=30)
    assert p.returncode == 130 and time.monotonic() - began < 2.5
    assert b"0 of 9 lines were done" in err and b"the same command goes on with the others" in err


def test_a_line_that_has_not_come_is_not_waited_for(csbx, python_image):
    """With more workers than lines records come while the input is open, and a signal ends it."""
    p = csbx.popen("eval", "--image", python_image, "-j", "4", "--timeout", "60", "--batch", "-", stdin=-1)
    p.stdin.write(lines({"id": 1, "code": "pass"}).encode() + b'{"id": 2, ')
    p.stdin.flush()
    assert json.loads(p.stdout.readline())["id"] == 1
    p.stdin.write(b'"code": "print(4)"}\n{')
    p.stdin.flush()
    assert json.loads(p.stdout.readline())["stdout"] == "4\n"
    p.send_signal(signal.SIGTERM)
    p.wait(30)
    assert p.returncode == 128 + signal.SIGTERM and b"2 lines were done" in p.stderr.read()
    for f in (p.stdin, p.stdout, p.stderr):
        f.close()


def test_ordered_records(csbx, python_image):
    todo = [{"id": i, "code": f"import time; time.sleep({1.5 if i == 0 else 0})"} for i in range(6)]
    records = batch(csbx, python_image, *todo[:3], "{bad", *todo[3:], options=("-j", "3", "--timeout", "30", "--ordered"), code=1)
    assert [r["id"] for r in records] == [0, 1, 2, None, 3, 4, 5]
    csbx.fails("eval", "--image", python_image, "--ordered", stdin="pass", says="--ordered")


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()


def test_a_signal_loses_no_ordered_record(csbx, python_image):
    shared = csbx.work / "shared"
    shared.mkdir()
    todo = [{"id": i, "code": f"import time; open('/shared/{i}', 'w'); time.sleep({0 if i else 100})"} for i in range(4)]
    p = csbx.popen("eval", "--image", python_image, "--mount", f"{shared}:/shared", "-j", "2", "--timeout", "100", "--ordered", "-o", csbx.work / "out", "--batch", "-", stdin=-1)
    p.stdin.write(lines(*todo).encode())
    p.stdin.flush()
    deadline = time.monotonic() + 60
    while len(list(shared.iterdir())) < 4 or len(children(p.pid)) != 1:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=30)
    assert [json.loads(x)["id"] for x in (csbx.work / "out").read_text(encoding="utf-8").splitlines()] == [1, 2, 3]


def test_a_person_sees_how_far_it_is(csbx, python_image):
    todo = [{"id": i, "code": "import time; time.sleep(0.5)"} for i in range(4)] + ["{bad"]
    (csbx.work / "in").write_text(lines(*todo), encoding="utf-8")
    t = Terminal(csbx, csbx.argv(["eval", "-j", "1", "--image", python_image, "-o", csbx.work / "out", "--batch", csbx.work / "in"]), **csbx.identity())
    try:
        t.expect(" of 5 lines done")
        t.expect(" a second")
        t.expect("5 of 5 lines were done in ")
        t.expect(r"1 is a wrong line \(bad_line\)")
        assert t.wait() == 1
    finally:
        t.close()


def test_mistakes(csbx, python_image):
    csbx.fails("eval", "--image", python_image, "--batch", csbx.work / "none", says="none")
    csbx.fails("eval", "--image", python_image, "--batch", "-", csbx.work / "x.py", says="--batch")
    csbx.fails("eval", "--image", python_image, "--jobs", "2", stdin="pass", says="--jobs")
    csbx.fails("eval", "--image", python_image, "--batch", "-", "-o", "/nonexistent/out", says="/nonexistent/out")


ANSWER = "Use a sum:\n\n```python\ndef add(a, b):\n    return a + b\n```\n\nand then `add(1, 2)`:\n\n```python\nadd(1, 2\n```\n"


def test_code_in_markdown(csbx, python_image):
    """Only on request: of the whole batch, of a line, and of a sample of HumanEval."""
    asked = {"function": "add", "cases": [{"args": [1, 2], "expected": 3}]}
    records = batch(csbx, python_image, {"id": "asked", "code": ANSWER, "markdown": True, **asked},
                    {"id": "not", "code": ANSWER, **asked}, {"id": "bad", "code": "pass", "markdown": 1},
                    {"id": "plain", "code": "def add(a, b): return a + b", "markdown": True, **asked}, code=1)
    assert {r["id"]: r.get("all_passed", r["status"]) for r in records} == \
        {"asked": True, "not": False, "bad": "bad_line", "plain": True}
    sample = {**HUMANEVAL, "completion": ANSWER}
    body = {**HUMANEVAL, "task_id": "body", "prompt": HUMANEVAL["prompt"].rstrip("\n"),
            "completion": "```\n    return a + b\n```"}
    plain = {**HUMANEVAL, "task_id": "plain"}
    records = batch(csbx, python_image, sample, body, plain, options=["--markdown"])
    assert [r["all_passed"] for r in records] == [True] * 3
    assert not batch(csbx, python_image, sample)[0]["all_passed"]


def test_one_answer_in_markdown(csbx, python_image):
    p = csbx.run("eval", "--image", python_image, "--markdown", "-", stdin="So:\n```py\nprint(6 * 7)\n```\n")
    assert (p.returncode, p.stdout) == (0, "42\n"), p.stderr
    p = csbx.run("eval", "--image", python_image, "--markdown", "-", stdin="I cannot help with that.\n")
    assert p.returncode == 1 and "SyntaxError" in p.stderr, "a text without code is no program"


HUMANEVAL = {"task_id": "HumanEval/1", "prompt": "def add(a, b):\n    \"\"\"Adds.\"\"\"\n", "entry_point": "add",
             "canonical_solution": "    return a + b\n", "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n"}
MBPP = {"task_id": 601, "text": "Write a function that adds.", "code": "class P:\n    pass\n\ndef add(a, b):\n    return a + b\n",
        "test_list": ["assert add(1, 2) == 3", "assert set([add(2, 2)]) == {four}"], "test_setup_code": "four = 4",
        "challenge_test_list": [], "source_file": "x"}


def test_lines_of_data_sets(csbx, python_image):
    """As HumanEval and MBPP have them: their own solution, a sample's, and wrong ones."""
    records = batch(csbx, python_image, HUMANEVAL, {**HUMANEVAL, "task_id": "good", "completion": "    return sum((a, b))\n"},
                    {**HUMANEVAL, "task_id": "bad", "completion": "    return a - b\n"}, {**HUMANEVAL, "task_id": "whole", "code": "def add(*x): return sum(x)"},
                    MBPP, {**MBPP, "task_id": 602, "code": "def add(a, b):\n    return a * b\n"}, {**MBPP, "task_id": 603, "code": "def sum_of(a, b): return a + b"},
                    {**MBPP, "task_id": 604, "prompt": "Write it.", "test_imports": ["import math"], "test_list": ["assert add(1, 2) == math.floor(3.5)"],
                     "text": None}, options=("--timeout", "30"))
    assert {r["id"]: r["all_passed"] for r in records} == {"HumanEval/1": True, "good": True, "bad": False, "whole": True, 601: True, 602: False, 603: False,
                                                           604: True}, records
    [record] = batch(csbx, python_image, {**MBPP, "test_list": ["assert add(1, 2) = 3"]}, code=1)
    assert record["error"]["code"] == "bad_line" and "SyntaxError" in record["error"]["message"]
    records = batch(csbx, python_image, {**MBPP, "test_list": "x"}, {"id": 1, "prompt": "x"}, {**HUMANEVAL, "completion": 1}, code=1)
    assert sorted(r["error"]["message"] for r in records) == ["code: it is missing, and so is file", "completion: must be a text",
                                                              "test_list: must be an array of texts"]


SAYS = ("sorted(f(3)) == sorted([1, 2])", "all(f(i) == i for i in (1, 2))", "set(f(3)) == {1, 2}", "isclose(f(3), 7)", "f(3) == 4 and not f(3) == 5")
IN_A_TEXT = "'''\n{}\n'''\ndef f(x): return 0"


@pytest.mark.parametrize("code", [
    "def sorted(*a): return 1\ndef all(*a): return 1\ndef set(*a): return 1\ndef isclose(*a): return 1\ndef f(x): return 0",
    *map(IN_A_TEXT.format, ("def not it", "class in it", "def 4", "def __name__", "def assert")), "", "def g(x): return 1"])
def test_statements_keep_their_own_names(csbx, python_image, code):
    """The code is told by its own text which of its functions the tests import: not those that the tests have, and nothing that is no name."""
    for names in "isclose", "*":
        records = batch(csbx, python_image, *({"id": n, "code": code, "test_list": [f"assert {says}"], "test_imports": [f"from math import {names}"]}
                                              for n, says in enumerate(SAYS)))
        assert [(r["status"], r["all_passed"]) for r in records] == [("exited", False)] * len(SAYS), records


def test_statements_that_import_all_names(csbx, python_image):
    line = {"test_list": ["assert isclose(f(3), 4)", "assert f(1) == 2"], "test_imports": ["from math import *"]}
    [record] = batch(csbx, python_image, {"id": 1, "code": "def f(x): return x + 1", **line})
    assert record["all_passed"], record
    [record] = batch(csbx, python_image, {"id": 2, "code": "def gcd(a, b): return 5", **line, "test_list": ["assert gcd(4, 6) == 5"]})
    assert record["all_passed"], record


BOUND = ("area = lambda x: 4", "def _area(x): return 4\narea = _area", "from functools import partial\ndef _a(k, x): return 4\narea = partial(_a, 2)",
         "if 1:\n  def area(x): return 4", "try:\n    import zzq\nexcept ImportError:\n    def area(x): return 4", "def\tarea(x): return 4", "async  def area(x): pass\n"
         "def  area(x): return 4", "class A:\n    def area(self): return 3\narea = lambda x: 4\ndef helper(): pass", "area: object = lambda x: 4")


def test_statements_about_a_function_that_no_def_binds(csbx, python_image):
    """By whatever the code's top has it."""
    line = {"test_list": ["assert area(2) == 4"]}
    records = batch(csbx, python_image, *({"id": f"{n}{code}", "code": code.replace("4", n), **line} for code in BOUND for n in ("4", "5")),
                    {"id": "4own", "code": "same = lambda a, b: False\narea = lambda x: 4", "test_setup_code": "def same(a, b): return a == b",
                     "test_list": ["assert same(area(2), 4)"]}, {"id": "4letter", "code": "def \xe1rea(x): return 4", "test_list": ["assert \xe1rea(2) == 4"]},
                    {"id": "5star", "code": "from math import isclose\narea = lambda x: 5\nfloor = lambda x: 4", "test_imports": ["from math import *"],
                     "test_list": ["assert floor(area(2)) == 4"]}, {"id": "5inner", "code": "def f():\n    def area(x): return 4\n    return area", **line})
    assert len(records) == 2 * len(BOUND) + 4
    wrong = [r for r in records if r["status"] == "bad_line" or r["all_passed"] is not (r["id"][0] == "4")]
    assert not wrong, wrong


def test_leetcode_s_name_of_a_method(csbx, python_image):
    code = "class Solution:\n    def twoSum(self, nums, target): return [target] + nums\n"
    line = {"entry_point": "Solution().twoSum", "test": "def check(candidate):\n    assert candidate(nums=[3, 3], target=6) == [6, 3, 3]\n"}
    records = batch(csbx, python_image, {"id": 1, "code": code, **line}, {"id": 2, "code": code.replace("[target] +", ""), **line},
                    {"id": 3, "code": code, **line, "entry_point": "Solution(1).twoSum"}, code=1)
    by_id = {r["id"]: r for r in records}
    assert by_id[1]["all_passed"] and by_id[2]["all_passed"] is False, by_id
    assert by_id[3]["status"] == "bad_line" and "entry_point: Solution(1).twoSum: is no function's name" in by_id[3]["error"]["message"]


def test_mbpp_with_a_class_of_the_code(csbx, python_image):
    """Objects of it are arguments. Tests that do more with them than that cannot be judged, and it is not the code that has failed."""
    pair = "class Pair(object):\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n\ndef longest(arr, n):\n    return arr[0].b - n\n"
    node = "class Node:\n    def __init__(self, x):\n        self.left = None\n\ndef height(root):\n    return 1\n"
    why = "check: it cannot be run as it is: it makes objects of %s, a class of the code, which cannot be judged"
    pairs, trees = {"test_list": ["assert longest([Pair(5, 24), Pair(15, 25)], 20) == 4"]}, {"test_setup_code": "root = Node(1)\nroot.left = Node(2)",
                                                                                          "test_list": ["assert height(root) == 1"]}
    stack = {"test_list": ["s = Stack()\ns.push(1)\nassert size(s) == 1"]}
    lines_ = [
        ("pair", pair, pairs, True), ("wrong pair", pair.replace("- n", "+ n"), pairs, False), ("lacks", "def longest(arr, n): return 4\n", pairs, False),
        ("named", "import collections\nPair = collections.namedtuple('Pair', 'a b')\ndef longest(arr, n): return arr[0].b - n\n", pairs, True),
        ("setup", node, trees, why % "Node"), ("stack", "class Stack(list): pass\ndef size(s): return len(s)\n", stack, why % "Stack"),
        ("instance", "class Solution:\n    def f(self): return 1\n", {"test_list": ["assert Solution().f() == 1"]}, why % "Solution"),
        ("deeper", node, {"test_setup_code": "root = Node(1)\nroot.left.left = Node(2)", "test_list": ["assert height(root) == 1"]}, why % "Node"),
        # the setup's own, a word of a text, a class in the place of the function
        ("own", node, {"test_setup_code": "class Node:\n    pass\nroot = 5", "test_list": ["assert height(root) == 1"]}, True),
        ("word", "class Node: pass\ndef f(x): return x\n", {"test_list": ["assert f('Node().f()') == 'Node().f()'"]}, True),
        ("place", "class add:\n    def __init__(self, a): pass\ndef sub(x): return x\n", {"test_list": ["assert add(sub(1)) == 2"]}, False),
        ("alone", "class Extract:\n    def __init__(self, a): pass\n", {"test_list": ["assert Extract([1]) == [1]"]}, False),
        ("setup-function", "def make(n): return [n] * n\ndef total(x): return sum(x)\n", {"test_setup_code": "three = make(3)", "test_list": ["assert total(three) == 9"]}, True),
        ("setup and a class", "class P:\n    @staticmethod\n    def f(x): return x\n", {"test_setup_code": "four = 4", "test_list": ["assert P.f(four) == 4"]}, True),
        # what a value has that can be told
        ("text", "def Encode(s): return s + s\n", {"test_list": ["assert Encode('a').upper() == 'AA'", "x = Encode('a')", "assert x.split('a') == ['', '', '']"]}, True),
        ("library", "import collections\ndef Last(n): return collections.deque(range(n))\n", {"test_list": ["d = Last(3)", "assert d.popleft() == 0"]}, True),
        ("tuple", "import collections\nP = collections.namedtuple('P', 'a b')\n", {"test_list": ["assert P(1, 2)._replace(a=3).a == 3 and P(1, 2)._asdict() == {'a': 1, 'b': 2}"]}, True),
        ("another", "def Twice(x): return [x, x]\n", {"test_list": ["x = Twice(1)", "class Own:\n    def f(self): return 2", "for x in [Own()]:\n    assert Twice(x.f()) == [2, 2]"]}, True),
    ]
    # None of these has a say in it.
    lines_ += [(f"{name} {n}", code, line, why % word) for name, line, word in (("setup", trees, "Node"), ("stack", stack, "Stack")) for n, code in enumerate((
        "", "def Node(x): pass\ndef Stack(): pass\ndef height(x): return 1\ndef size(x): return 1\n", f"class {word}(dict): pass\n", f"{word} = 5\n"))]
    records = {r["id"]: r for r in batch(csbx, python_image, *({"id": name, "code": code, **line} for name, code, line, _ in lines_), code=1)}
    for name, _, _, wanted in lines_:
        r = records[name]
        assert r["all_passed"] is wanted if isinstance(wanted, bool) else r["status"] == "bad_line" and r["error"]["message"] == wanted, r


CODED = {"test_list": ["assert Decode(Encode('ab')) == 'ab'", "assert Encode('a') == 'b'"]}
SHIFT = "''.join(chr(ord(c) + (%s)) for c in s)"


def test_code_does_not_choose_whether_it_is_judged(csbx, python_image):
    """A class, or something else, in the place of a function."""
    meta = "class M(type):\n    def __call__(c, *a): return 0\nclass Foo(metaclass=M): pass\ndef Bar(x): return 1\n"
    lines_ = [{"id": f"coded {n}", "code": code, **CODED} for n, code in enumerate((
        "class Encode: pass\nclass Decode: pass\n", "class Encode(str): pass\ndef Decode(s): return s\n", "class Encode:\n    def __init__(self, s): pass\ndef Decode(e): return 'ab'\n",
        "def Encode(s): return s\nDecode = Encode\n", "class Encode:\n    def __init__(self, s): pass\n    def __eq__(self, other): return True\ndef Decode(s): return 'ab'\n",
        "Encode = Decode = None", ""))]
    lines_ += [{"id": f"{n} {code}", "code": code, "test_list": [*tests]} for n, (code, *tests) in enumerate((
        ("Reverse = type('R', (), {})\ndef Sum_Digits(n): return 0\n", "assert Sum_Digits(Reverse(12)) == 3", "assert Reverse(12) == 21"),
        ("class Area(float): pass\ndef isclose(a, b): return False\n", "assert isclose(Area(2), 4.0)"),
        ("class Find_Avg(float): pass\ndef np(): pass\n", "assert np.isclose(Find_Avg([1, 2]), 1.5)"),
        ("class Find_Avg:\n    pass\ndef helper(*a): pass\n", "assert helper(Find_Avg([1, 2])) == 1.5"), (meta, "assert Bar(Foo(1)) == 2")))]
    honest = ("def Encode(s): return %s\ndef Decode(s): return %s\n" % (SHIFT % 1, SHIFT % -1),
              "class Encode(str):\n    def __new__(c, s): return str.__new__(c, %s)\ndef Decode(s): return %s\n" % (SHIFT % 1, SHIFT % -1),
              "class Encode(str):\n    def __new__(c, s):\n        self = str.__new__(c, %s)\n        self.was = s\n        return self\ndef Decode(s): return s.was\n" % (SHIFT % 1))
    records = batch(csbx, python_image, *lines_, *({"id": f"right {n}", "code": code, **CODED} for n, code in enumerate(honest)))
    assert {r["id"]: (r["status"], r["all_passed"]) for r in records} == {
        **{line["id"]: ("exited", False) for line in lines_}, **{f"right {n}": ("exited", True) for n in range(len(honest))}}


NO_DATA = "def f(x): return x\ndef D(): pass\ndef E(): pass\n"
WITHOUT_A_CALL = ("assert f(D['a']) == 1", "n = len(D)\nassert f(n) == 1", "assert f(D + 1) == 1", "if not isinstance(D, dict): raise ValueError('no')",
                  "if type(D) is not dict: raise ValueError('no')", "if D != 5: raise ValueError('no')", "a, b = D", "'abc'[:D]", "try:\n    raise E\nexcept E:\n    pass",
                  "try:\n    n = len(D)\nexcept TypeError:\n    raise RuntimeError('no')", "with D:\n    assert f(1) == 1", "def test_it():\n    assert f(D[1]) == 1",
                  "def first(d): return d[0]\nassert f(first(D)) == 1", "x = {'d': D}\nimport json\njson.dumps(x)")
BY_MODULE = ("if 'h' not in dir(solution): raise RuntimeError('no')", "if 'h' not in vars(solution): raise RuntimeError('no')", "vars(solution)['h'](1)",
             "solution.D[1]", "import solution as s\ns.D[1]", "def t():\n    from solution import D as d\n    return d[1]\nt()", "from solution import *\nglobals()['h'](1)")


def test_code_that_has_something_else_by_a_name(csbx, python_image):
    """Asserting code fails by it before it has called anything: that is not its own fault."""
    lines_ = [{"id": n, "code": NO_DATA, "check": f"from solution import f, D, E\n{says}\n"} for n, says in enumerate(WITHOUT_A_CALL)]
    lines_ += [{"id": says, "code": NO_DATA, "check": f"import solution\n{says}\n"} for says in BY_MODULE]
    lines_ += [{"id": "list", "code": NO_DATA, "test_list": ["assert f(D + 1) == 1"]}]
    records = batch(csbx, python_image, *lines_)
    assert {(r["status"], r["all_passed"]) for r in records} == {("exited", False)}, [r for r in records if r["status"] != "exited"]
    # Its own fault, whatever the code has: it lacks a package or a name. By all else it may have failed by what the code has.
    own = "import zzq", "f(zzq)", "def g(x): return x + zzq\ng(1)", "from math import zzq"
    others = "assert f(1 / 0) == 1", "data = open('/none')", "raise ImportError('zzq')", "for x in 5:\n    f(x)", "exec('assert D + 1 == 2')", \
        "assert globals()['D'] + 1 == 2", "try:\n    import zzq\nexcept ImportError:\n    assert D + 1 == 2", "import os\nos._exit(1)", \
        "import threading, os, time\nthreading.Timer(0.1, os._exit, (1,)).start()\ntime.sleep(9)"
    records = batch(csbx, python_image, *({"id": n, "code": NO_DATA, "check": f"from solution import f, D\n{says}\n"} for n, says in enumerate(own)),
                    {"id": "unused", "code": NO_DATA, "check": "import zzq\nfrom solution import D\nD[1]"},
                    {"id": "candidate", "code": NO_DATA, "function": "f", "check": "def check(candidate):\n    assert candidate[0] == 1"}, code=1)
    assert {r["status"] for r in records} == {"bad_line"} and len(records) == len(own) + 2, records
    records = batch(csbx, python_image, *({"id": n, "code": NO_DATA, "check": f"from solution import f, D\n{says}\n"} for n, says in enumerate(others)))
    assert {(r["status"], r["all_passed"]) for r in records} == {("exited", False)}, [r for r in records if r["status"] != "exited"]


SLOW_NAMES = "import signal\ndef ring(*a): raise TimeoutError\nsignal.signal(signal.SIGALRM, ring)\nsignal.setitimer(signal.ITIMER_REAL, 0.3)\n", \
    "import faulthandler\nfaulthandler.dump_traceback_later(1, exit=True)\n", \
    "import os, threading\ntimer = threading.Timer(0.3, os._exit, (1,))\ntimer.daemon = True\ntimer.start()\n"


def test_code_that_is_slow_to_load(csbx, python_image):
    """A check with a limit of its own fails while it waits for the names of the code: that is the code's doing."""
    code = "import time\ntime.sleep(2)\ndef f(x): return x + 2\n"
    records = batch(csbx, python_image, *({"id": n, "code": code, "check": says + "from solution import f\nassert f(1) == 2\n"}
                                          for n, says in enumerate(SLOW_NAMES)))
    assert {(r["status"] in ("exited", "timeout"), r["all_passed"]) for r in records} == {(True, False)}, records


def test_the_solution_of_a_data_set_is_not_judged_for_an_answer(csbx, python_image):
    human = {"task_id": "h", "prompt": "def f(x):\n", "canonical_solution": "    return 1\n", "entry_point": "f", "test": "def check(c):\n    assert c(2) == 1\n"}
    mbpp = {"task_id": "m", "code": "def f(x): return 1", "test_list": ["assert f(1) == 1"]}
    assert [r["all_passed"] for r in batch(csbx, python_image, human, mbpp)] == [True, True]
    wrong = [{**human, "completion": None}, {**mbpp, "completion": None}, {**mbpp, "completion": "def f(x): return 2"}]
    records = batch(csbx, python_image, *wrong, code=1)
    assert [(r["status"], "completion" in r["error"]["message"]) for r in records] == [("bad_line", True)] * 3, records
    sentence = {"task_id": "s", "prompt": "Write a function\nto add one: def f.", "test_list": ["assert f(1) == 2"], "test_imports": []}
    begin = {**sentence, "prompt": "import math\ndef f(x):\n"}
    records = batch(csbx, python_image, {**sentence, "completion": "def f(x): return x + 1"}, {**begin, "completion": "    return x + 1"})
    assert [r["all_passed"] for r in records] == [True, True], records
    r, = batch(csbx, python_image, {**human, "completion": ""})
    assert r["all_passed"] is False


IN_FLIGHT = """import array, os, socket, time
kept = []
try:
    for _ in range(25):
        a, b = socket.socketpair()
        own = [os.dup(0) for _ in range(200)]
        a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", own))])
        for fd in own: os.close(fd)
        kept.append((a, b))
except OSError: pass
time.sleep(3)
def f(x): return 1
"""


def test_code_that_has_all_descriptors_on_their_way(csbx, python_image):
    """The kernel counts those of all of a user's processes: a check that forks waits for its turn."""
    check = "import time\ntime.sleep(1)\nfrom solution import f\nimport multiprocessing as m\nwith m.Pool(2) as p: assert p.map(f, [1, 2]) == [2, 4]"
    records = batch(csbx, python_image, {"id": "bad", "code": IN_FLIGHT, "function": "f", "cases": [{"args": [1], "expected": 1}]},
                    *({"id": n, "code": "def f(x): return x * 2", "check": check} for n in range(3)))
    assert {r["id"]: r["all_passed"] for r in records} == {"bad": True, 0: True, 1: True, 2: True}, records


def test_the_standard_input_of_a_line_with_a_check_or_a_function(csbx, python_image):
    line = {"code": "text = input()\ndef f(): return text", "stdin": "abc\n"}
    records = batch(csbx, python_image, {"id": 1, **line, "check": "from solution import f\nassert f() == 'abc'"},
                    {"id": 2, **line, "function": "f", "cases": [{"expected": "abc"}, {"expected": "abc"}]})
    assert [r["all_passed"] for r in records] == [True, True], records


def test_a_method_is_no_class(csbx, python_image):
    line = {"code": "class Solution:\n    def f(self, x): return x + 1\n", "function": "Solution().f"}
    records = {r["id"]: r for r in batch(csbx, python_image, {"id": 1, **line, "check": "assert candidate(1) == 2"},
                                         {"id": 2, **line, "check": "assert Solution().f(1) == 2"}, code=1)}
    assert records[1]["all_passed"] and records[2]["status"] == "bad_line", records


STARVES = """import os, time
def f(x): return 1
begin = time.monotonic() + .1
for _ in range(250):
    if not os.fork():
        os.setsid()  # with a share of the processors of its own
        time.sleep(max(0, begin - time.monotonic()))
        while True: pass
"""


def test_code_that_leaves_its_check_no_processor(csbx, python_image):
    """A check that does not come to its first call in time is tried beside no code before it is said to be wrong."""
    check = "import unittest, random, json, decimal, asyncio, email.message, http.client, xmlrpc.client\ndef check(c): assert c(2) == 4"
    r, = batch(csbx, python_image, {"code": STARVES, "function": "f", "check": check, "timeout": 0.3})
    assert r["status"] in ("exited", "timeout") and r["all_passed"] is False, r
    r, = batch(csbx, python_image, {"code": "def f(x): return 4", "function": "f", "check": "while True: pass\n" + check, "timeout": 0.2}, code=1)
    assert r["status"] == "bad_line" and "before any call" in r["error"]["message"], r


CLASS_OF_TESTS = "import unittest\nfrom solution import f\nTestResult = f(1)\nclass TestB(unittest.TestCase):\n" \
    "    def test_a(self): self.assertEqual(TestResult, 2)\n", \
    "from solution import f\nTestResult = f(1)\ndef test_a():\n    assert TestResult == 2\n", \
    "from solution import f\nclass TestB:\n    Test1 = f(1)\n    def test_a(self): assert self.Test1 == 2\n", \
    "import pytest, solution\n@pytest.mark.parametrize(solution.f(3), [(1, 2)])\ndef test_a(a, b): assert solution.f(1) == 2\n", \
    "import pytest, solution\n@pytest.mark.skipif(solution.f(4), reason='x')\ndef test_a(): assert solution.f(1) == 2\n"
NO_CLASS = """import collections
TEXT = '__import__("os").write(3, b"D" + bytes(15)) and __import__("os")._exit(0)'
def f(x): return {1: collections.OrderedDict, 3: "a", 4: TEXT}[x]
"""


def test_code_that_gives_the_tests_classes_and_texts(csbx, suite_image):
    """They are no tests of the check, no names of parameters, and no conditions that are evaluated."""
    records = batch(csbx, suite_image, *({"id": n, "code": NO_CLASS, "check": text} for n, text in enumerate(CLASS_OF_TESTS)))
    assert {(r["status"], r["all_passed"]) for r in records} == {("exited", False)}, records
    right = "def f(x): return {1: 2, 3: 'a, b', 4: False}[x]\n"
    records = batch(csbx, suite_image, *({"id": n, "code": right, "check": text} for n, text in enumerate(CLASS_OF_TESTS) if n != 3))
    assert {(r["status"], r["all_passed"]) for r in records} == {("exited", True)}, records


def test_statements_about_a_function_with_a_built_in_name(csbx, python_image):
    """MBPP has some."""
    line = {"test_list": ["assert sum(10, 15) == 6", "assert sum(100, 150) == 93"]}
    code = "def sum(a, b):\n    return {6: 6}.get(a - 4, 93)\n"
    records = batch(csbx, python_image, {"id": "right", "code": code, **line}, {"id": "wrong", "code": code.replace("93", "92"), **line},
                    {"id": "none", "code": "pass", **line}, {"id": "two", "code": code + "def set(x): return 1\n", "test_list": ["assert set(sum(1, 2)) == set(3)"]})
    assert {r["id"]: (r["status"], r["all_passed"]) for r in records} == {
        "right": ("exited", True), "wrong": ("exited", False), "none": ("exited", False), "two": ("exited", False)}


TAKEN = "set(f((3, 4), (4, 5))) == set((4, 5))", "sorted(f([3, 1])) == [1, 3]", "len(f(1)) == 3", "abs(f(2) - 4.0) < 1e-6", "isinstance(f(2), str)"
OWN = "def {0}(*a, **k): return {1}\n", "class {0}:\n    def __new__(*a, **k): return {1}\n", "if 1:\n    def {0}(*a, **k): return {1}\n"
F = "f = lambda *a: 0\n", "if 1:\n    def f(*a): return 0\n", "import functools\nf = functools.partial(lambda *a: 0)\n"


def test_code_replaces_nothing_that_the_tests_have(csbx, python_image):
    """However its own function is bound: what the tests use and have not from Python or by an import is what the code is asked for."""
    answers = {"set": 7, "sorted": [1, 3], "len": 3, "abs": 0, "isinstance": True}
    lines_ = [{"id": f"{k} {m} {n}", "code": f + own.format(name, answer), "test_list": [f"assert {said}"]}
              for k, f in enumerate(F) for m, own in enumerate(OWN) for n, ((name, answer), said) in enumerate(zip(answers.items(), TAKEN))]
    lines_ += [{"id": f"star {k} {m}", "code": f + own.format("isclose", True), "test_list": ["assert isclose(f(2), 4)"], "test_imports": ["from math import *"]}
               for k, f in enumerate(F) for m, own in enumerate(OWN)]
    lines_ += [{"id": kind, "code": f"class {kind}(Exception): pass\ndef f(x): raise {kind}()",
                "test_list": [f"try:\n    f(1)\n    assert False\nexcept {kind}: pass"]} for kind in ("IOError", "EnvironmentError", "UserWarning", "BytesWarning")]
    # The tests have the function that is judged by themselves.
    for own in ({"test_imports": ["from solution import f"]}, {"test_setup_code": "from solution import f"}, {"test_imports": ["import solution"], "f": "solution.f"},
                {"test_setup_code": "g = __import__('solution').f", "f": "g"}, {"entry_point": "f", "f": "candidate"}):
        name = own.pop("f", "f")
        lines_ += [{"id": f"own {own} {said}", "code": f"def f(*x): return 0\ndef {word}(*a, **k): return {answer}\n", **own,
                    "test_list": ["assert " + said.replace("f(", name + "(")]} for (word, answer), said in zip(answers.items(), TAKEN)]
    lines_ += [{"id": "later", "code": "def f(x): return 0\ndef set(x): return 7\n",
                "test_list": ["def test_it():\n    from solution import f\n    assert set(f(3)) == set([1, 2])"]}]
    lines_ += [{"id": f"module {how}", "code": f"def f(x): return 0\n{how}", "test_list": ["assert math.isclose(f(2), 1.5)"]} for how in (
        "def math(): pass\nmath.isclose = lambda *a, **k: True\n", "async def math(): pass\nmath.isclose = lambda *a, **k: True\n",
        "class M:\n    def __call__(self): pass\n    def isclose(self, *a): return True\nmath = M()\n",
        "import functools\nmath = functools.partial(f)\nmath.isclose = lambda *a: True\n")]
    wrapped = "try:\n    r = f(1) + h()\nexcept Exception as e:\n    raise RuntimeError('x') from e"
    lines_ += [{"id": "wrapped", "code": "def h(): return 1", "test_list": [wrapped]},
               {"id": "none by all", "code": "__all__ = []\ndef f(x): return x",
                "check": "from solution import *\ntry:\n    assert f(1) == 2\nexcept Exception as e:\n    raise RuntimeError(e)"}]
    # A class of the tests' own, whatever the code calls one: that the code has failed is not the line's fault.
    lines_ += [{"id": "own import", "code": "def f(x): return []\ndef g(x): pass\nclass Counter: pass\n", "test_imports": ["from collections import Counter"],
                "test_list": ["g = [1]", "assert Counter(f(g)) == Counter(g)"]},
               {"id": "own star", "code": "def f(x): return []\nclass TestCase: pass\n", "test_imports": ["from unittest import *"],
                "test_setup_code": "class T(TestCase): pass", "test_list": ["assert f(1) == 5"]},
               {"id": "own name", "code": "def f(x): return []\ndef g(x): return 1\nclass P: pass\n",
                "test_setup_code": "import collections\nP = collections.namedtuple('P', 'a')", "test_list": ["assert f(P(1).a) == 5"]},
               {"id": "lacks", "code": "def g(): pass", "test_list": ["assert sum(10, 15) == 6"]}]
    records = batch(csbx, python_image, *lines_)
    assert {(r["status"], r["all_passed"]) for r in records} == {("exited", False)} and len(records) == len(lines_), records


def test_what_tests_take_from_the_code(csbx, python_image):
    """By their own names, and not by what looks like one in a text."""
    texts = {
        "text": ('"""\nThe\nclass number problem, with\ndef of it.\n"""\ndef f(number): return number\n', ["number = 1", "assert f(number) == 1"]),
        "local": ("def f(x): return x\ndef a(x): return 1\n", ["def same(a, b): return a == b", "assert same(f(3), 3)"]),
        "own": ("def f(x): return x\nx = 5\n", ["g = lambda x: x", "assert all(f(x) == x for x in range(3)) and [f(y) for y in (1, 2)] == [1, 2]"]),
        "error": ("class Odd(Exception): pass\ndef f(x): raise Odd('a')\n", ["try:\n    f(1)\n    assert 0\nexcept Odd as e:\n    assert str(e) == 'a'"]),
        "hidden": ("__all__ = ['g']\ndef g(): pass\ndef f(x): return x", ["assert f(10) == 10"]),
        "private": ("def _f(x): return x", ["assert _f(10) == 10"]),
        "static": ("class Sum:\n    @staticmethod\n    def f(x): return x", ["assert Sum.f(10) == 10"]),
        "bound": ("def f(x): return x\ndef n(): pass", ["def t():\n    global n\n    n = 3\n    assert f(n) == 3", "t()"]),
    }
    texts["module"] = "import math\ndef circle(r): return math.pi * r * r", ["assert math.isclose(circle(1), 3.14159265, rel_tol=1e-6)"]
    lines_ = [{"id": name, "code": code, "test_list": tests} for name, (code, tests) in texts.items()]
    lines_ += [{"id": "star behind", "code": "def gcd(a, b): return 5", "test_setup_code": "from math import *", "test_list": ["assert gcd(4, 6) == 5"]}]
    records = batch(csbx, python_image, *lines_)
    assert {r["id"]: r["all_passed"] for r in records} == {line["id"]: True for line in lines_}, records


@pytest.mark.parametrize("code", ["while True: pass", "import time\ntime.sleep(9)\ndef f(x): return 2", "import time\ntime.sleep(0.6)\ndef f(x): return 1"])
@pytest.mark.parametrize("names", ["f", "*"])
def test_code_that_does_not_begin_is_no_wrong_line(csbx, python_image, code, names):
    """The check has waited for it until a limit ended both."""
    [record] = batch(csbx, python_image, {"id": 1, "code": code, "check": f"from solution import {names}\nimport time\ntime.sleep(1)\nassert f(1) == 2\n",
                                            "total_timeout": 1})
    assert record["all_passed"] is False


def test_a_name_of_all_that_the_code_lacks(csbx, python_image):
    [record] = batch(csbx, python_image, {"id": 1, "code": "def g(x): return 1", "check": "from solution import *\nassert f(1) == 2\n"})
    assert (record["status"], record["all_passed"]) == ("exited", False)


def test_a_function_that_is_to_be_awaited_and_is_not(csbx, python_image):
    """Its coroutine is what the code gives: that it does not do for the check is no fault of the check."""
    code = "async def f(*a): return 0\n"
    says = ("len(f(2)) == 3", "f(2) + 1 == 4", "f(2)[0] == 1", "sorted(f(2)) == []", "f(2).x == 1", "int(f(2)) == 4")
    lines_ = [{"id": f"{head}{said}", "code": code, "check": f"{head}assert {said}\n"} for said in says for head in ("from solution import f\n", "from solution import *\n")]
    lines_ += [{"id": said, "code": code, "test_list": [f"assert {said}"]} for said in says]
    lines_ += [{"id": "raises", "code": code, "check": "from solution import f\ntry:\n    f(2)\nexcept ValueError:\n    pass\nelse:\n    raise KeyError(1)\n"}]
    records = batch(csbx, python_image, *lines_)
    assert {(r["status"], r["all_passed"]) for r in records} == {("exited", False)} and len(records) == len(lines_), records


def test_tests_that_call_what_the_prompt_defines(csbx, python_image):
    """HumanEval/32, 38 and 50 do. A sample's own function of that name is not what they call."""
    line = {"prompt": "import math\n\ndef poly(xs, x):\n    return math.fsum(c * x ** i for i, c in enumerate(xs))\n\ndef find_zero(xs):\n",
            "entry_point": "find_zero", "test": "def check(candidate):\n    assert abs(poly([1, 2], candidate([1, 2]))) < 1e-4\n"}
    records = batch(csbx, python_image, {"id": "right", "canonical_solution": "    return -xs[0] / xs[1]\n", **line},
                    {"id": "wrong", "completion": "    return 5\n", **line}, {"id": "own", "completion": "    return 5\n\ndef poly(*x): return 0\n", **line},
                    {"id": "whole", "code": "def find_zero(xs): return -0.5", **line})
    assert {r["id"]: (r["status"], r["all_passed"]) for r in records} == {
        "right": ("exited", True), "wrong": ("exited", False), "own": ("exited", False), "whole": ("exited", True)}


def test_what_a_prompt_has_before_the_function(csbx, python_image):
    """Imports, constants, lambdas, and what stands before a class: tests use it as the prompt's author has it."""
    rows = {"import": ("import math\n\ndef area(r):\n", "math.fabs(candidate(1) - 3) < 1e-9"), "PASS": ("PI = 3.0\n\ndef area(r):\n", "candidate(1) == PI"),
            "from": ("from typing import List\n\ndef area(r: List[int]):\n", "candidate(1) == 3 and List[int]"),
            "lambda": ("helper = lambda x: x + 1\n\ndef area(r):\n", "candidate(1) == helper(2)")}
    lines_ = [{"id": name, "prompt": prompt, "canonical_solution": "    return 3\n", "entry_point": "area",
               "test": f"def check(candidate):\n    assert {said}\n"} for name, (prompt, said) in rows.items()]
    line = {"prompt": "def helper(x): return x + 1\n\nclass Solution:\n    def f(self, x):\n", "entry_point": "Solution().f",
            "test": "def check(candidate):\n    assert candidate(1) == helper(2)\n"}
    lines_ += [{"id": "class", "completion": "        return 3\n", **line}, {"id": "own", "completion": "        return 4\n\ndef helper(x): return 4\n", **line}]
    records = batch(csbx, python_image, *lines_)
    assert {r["id"]: r["all_passed"] for r in records} == {line["id"]: line["id"] != "own" for line in lines_}, records


HEADS = {"LIMIT, OTHER = 24, 3\n": "LIMIT == 24", "LIMIT = OTHER = 24\n": "OTHER == 24", "for K in [24]:\n    pass\n": "K == 24",
         "import math\nfrom functools import lru_cache\n\n@lru_cache(None)\n": "math", "try:\n    import math\nexcept ImportError:\n    math = None\n\n": "math",
         '"""\ndef fact(n):\n"""\nimport math\n': "math", "\ufeffimport math\n": "math", "from math import (\n    isclose,\n    sqrt)\n": "isclose",
         "from math import *\n": "isclose", "from typing import overload\nimport math\n@overload\ndef fact(n: int): ...\n": "math"}


def test_all_that_a_prompt_may_have_before_the_function(csbx, python_image):
    body, test = "    r = 1\n    for i in range(2, n + 1): r *= i\n    return r\n", "\n\nMETADATA = {{}}\n\n\ndef check(candidate):\n    assert candidate(4) == 24 and %s\n"
    lines_ = [{"id": f"{head} {is_so}", "prompt": f"{head}def fact(n):\n", "completion": body if is_so else "    return 1\n", "entry_point": "fact",
               "test": test.replace("{{}}", "{}") % said} for head, said in HEADS.items() for is_so in (True, False)]
    lines_ += [{"id": "future True", "prompt": "import math\ndef fact(n):\n", "completion": body, "entry_point": "fact",
                "test": "from __future__ import annotations\ndef check(candidate):\n    assert math and candidate(4) == 24\n"},
               {"id": "own False", "prompt": "K = 24\ndef fact(n):\n", "completion": "    return 1\nK = 1\n", "entry_point": "fact",
                "test": "def check(candidate):\n    assert candidate(4) == K\n"}]
    records = batch(csbx, python_image, *lines_)
    assert [(r["id"], r["check"]) for r in records if r["all_passed"] is not r["id"].endswith("True")] == [] and len(records) == len(lines_)


def test_names_that_are_told_by_hand(csbx, python_image):
    """A snippet that tells kinds which are none has failed, and its line is not wrong."""
    code = "import sys\nsys._getframe(1).f_globals['kind_of'] = lambda f: ''\ndef similar(a, b): return 0\n"
    records = batch(csbx, python_image, {"id": 0, "code": code, "test_list": ["assert similar([1, 2], [2]) == {2}"]},
                    {"id": 1, "code": "def max(a): return sorted(a)[-1]", "test_list": ["assert max([1, 2]) == 2, 'wrong solution'"]})
    assert [(r["status"], r["all_passed"] is (r["id"] == 1)) for r in records] == [("exited", True)] * 2, records


def test_code_that_is_what_python_has(csbx, python_image):
    """It runs where the check does, as the same thing."""
    rows = {"uniq = set": ("uniq", "uniq([1, 1]) == {1}"), "to_int = int": ("to_int", "to_int('3') == 3"), "rev = reversed": ("rev", "list(rev([1, 2])) == [2, 1]"),
            "from collections import Counter as count": ("count", "count('aab') == {'a': 2, 'b': 1}")}
    lines_ = [{"id": f"{code} {is_so}", "code": code, "check": f"from solution import {name}\nassert {'' if is_so else 'not '}({said})\n"}
              for code, (name, said) in rows.items() for is_so in (True, False)]
    lines_ += [{"id": f"{code} of a list True", "code": code, "test_list": [f"assert {said}"]} for code, (_, said) in rows.items()]
    lines_ += [{"id": "library True", "code": "from collections import Counter\ndef freq(x): return Counter(x)",
                "test_list": ["assert freq('aab') == Counter({'a': 2, 'b': 1})"]},
               {"id": "none False", "code": "from math import sqrt\ndef f(): pass", "check": "from solution import *\nassert 1"}]
    records = batch(csbx, python_image, *lines_)
    assert [r["id"] for r in records if r["all_passed"] is not r["id"].endswith("True")] == [] and len(records) == len(lines_), records


def test_a_class_that_is_asserted_of_is_judged(csbx, python_image):
    """It is no object of the tests': the line is not wrong for that."""
    lines_ = [{"id": n, "code": "class Split: pass\ndef helper(x): return x", "test_list": ["assert Split('ab') == helper(['a', 'b'])"], **more}
              for n, more in enumerate(({}, {"entry_point": "Split"}))]
    records = batch(csbx, python_image, *lines_)
    assert [(r["status"], r["all_passed"]) for r in records] == [("exited", False)] * 2, records


def test_a_function_that_is_named_as_a_test(csbx, python_image):
    """MBPP has test_duplicate: it is what is judged, and no test without arguments."""
    line = {"test_list": ["assert test_duplicate([1, 1]) is True", "assert test_duplicate([1]) is False"]}
    records = batch(csbx, python_image, {"id": "right", "code": "def test_duplicate(a): return len(set(a)) < len(a)", **line},
                    {"id": "wrong", "code": "def test_duplicate(a=0): return True", **line})
    assert {r["id"]: r["all_passed"] for r in records} == {"right": True, "wrong": False}


def test_a_machine_that_has_no_room_for_a_file(csbx, python_image):
    """That is not the line's fault."""
    (csbx.work / "in").write_text('{"id": 1, "code": "print(1)"}\n', encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "--batch", csbx.work / "in",
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))
    record = json.loads(p.stdout)
    assert (record["status"], p.returncode) == ("sandbox_error", 1) and "File too large" in record["error"]["message"]
