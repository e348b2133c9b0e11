# SPDX-License-Identifier: Apache-2.0
"""P16, P16b, P18: judged runs."""
import json
import time

import measure
from measure import Case

CODE = "print(6 * 7)\n"
FUNCTION = {"code": "def add(a, b):\n    return a + b\n", "function": "add",
            "cases": [{"args": [n, n + 1], "expected": 2 * n + 1} for n in range(3)]}
LIMITS = ["--timeout", "5", "--memory", "256m", "--interactive=no"]

# One process for each snippet, with a manager's process for its result: how generated code is mostly run.
MANAGER_WAY = """
import contextlib, io, multiprocessing, sys
def child(code, results):
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(code, {"__name__": "__main__"})
        results.update(success=True, stdout=out.getvalue())
    except BaseException as e:
        results.update(success=False, error=repr(e))
def run(code):
    with multiprocessing.get_context("fork").Manager() as manager:
        results = manager.dict()
        p = multiprocessing.get_context("fork").Process(target=child, args=(code, results))
        p.start()
        p.join(5)
        return dict(results)
if __name__ == "__main__":
    import os
    count = int(sys.argv[1])
    other = os.fork()  # two at a time
    good = sum(run("print(6 * 7)").get("stdout") == "42\\n" for _ in range(count // 2))
    assert good == count // 2, good
    if other:
        assert os.waitpid(other, 0)[1] == 0
"""


def p16(world, report):
    """eval of print(6*7) against run of the same with the same limits."""
    snippet = world.work / "snippet.py"
    snippet.write_text(CODE, encoding="ascii")
    name = world.container("python")
    cases = [Case("csbx eval", [world.csbx, "eval", "--image", name, snippet], expect="42"),
             Case("csbx run, the same limits", [world.csbx, "run", *LIMITS, name, "python3", "-c", CODE.strip()], expect="42"),
             Case("csbx run, no limits", [world.csbx, "run", name, "python3", "-c", CODE.strip()], expect="42")]
    samples = world.stopwatch(cases, 20 if world.quick else 80)
    report.samples("P16", samples, cases[0].name, {cases[1].name: 1.25})


def p16b(world, report):
    """eval --warm of print(6*7), where a lane is lent, against eval."""
    snippet = world.work / "snippet.py"
    snippet.write_text(CODE, encoding="ascii")
    argv = [world.csbx, "eval", "--image", world.container("python"), "--json"]
    env = {"CSBX_LINGER": "60"}
    warm = [*argv, "--warm", snippet]
    deadline = time.monotonic() + 20
    while "a lane is lent" not in world.call(warm, env={**env, "CSBX_DEBUG": "1"}).stderr:
        if time.monotonic() > deadline:
            raise measure.Failed("no lane is lent")
        time.sleep(0.2)
    cases = [Case("csbx eval --warm", warm, expect=None), Case("csbx eval", [*argv, snippet], expect=None)]  # they tell times
    samples = world.stopwatch(cases, 20 if world.quick else 80, env=env)
    report.samples("P16b", samples, cases[0].name, {cases[1].name: 0.5})


def rate(world, argv, count, check):
    begin = time.monotonic()
    p = world.call(argv)
    seconds = time.monotonic() - begin
    if p.returncode or not check(p.stdout):
        raise measure.Failed(f"{argv[0]}: exit {p.returncode}: {p.stderr[-300:]}")
    return count / seconds


def p18(world, report):
    """
    Snippets a second by --batch -j 2 --lanes no, against a forked process and a manager for each; and in lanes (P18b), and
    functions with three cases each there (P18c).
    """
    count = 200 if world.quick else 1000
    lines = world.work / "snippets.jsonl"
    lines.write_text("".join(json.dumps({"id": i, "code": CODE}) + "\n" for i in range(count)), encoding="ascii")
    functions = world.work / "functions.jsonl"
    functions.write_text("".join(json.dumps({"id": i, **FUNCTION}) + "\n" for i in range(count)), encoding="ascii")
    way = world.work / "manager_way.py"
    way.write_text(MANAGER_WAY, encoding="ascii")
    name = world.container("python")

    def all_good(text):
        records = [json.loads(line) for line in text.splitlines()]
        return sum(r["success"] and r["stdout"] == "42\n" for r in records) == count

    def all_pass(text):
        records = [json.loads(line) for line in text.splitlines()]
        return sum(len(r["cases"]) == 3 and all(c["passed"] for c in r["cases"]) for r in records) == count

    batch = [world.csbx, "eval", "--image", name, "-j", "2", "--batch", lines]
    ours, theirs, lanes, cases = [], [], [], []
    for _ in range(2):  # each after the other: a machine's load changes
        theirs.append(rate(world, ["/usr/bin/python3", way, count], count, lambda _: True))
        ours.append(rate(world, [*batch, "--lanes", "no"], count, all_good))
        lanes.append(rate(world, batch, count, all_good))
        cases.append(rate(world, [*batch[:-1], functions], count, all_pass))
    report.value("P18", "csbx eval --batch -j 2 --lanes no", max(ours), "snippets/s")
    report.value("P18", "fork and Manager, 2 at a time", max(theirs), "snippets/s")
    report.value("P18", "Manager's time over batch's", max(ours) / max(theirs), "x", 1.5, at_least=True)
    report.value("P18b", "csbx eval --batch -j 2", max(lanes), "snippets/s", 1000, at_least=True)
    report.value("P18b", "lanes over batch", max(lanes) / max(ours), "x")
    report.value("P18b", "Manager's time over that of lanes", max(lanes) / max(theirs), "x", 8, at_least=True)
    report.value("P18c", "csbx eval --batch -j 2, functions with three cases", max(cases), "programs/s", 500, at_least=True)


BENCHES = {"P16": p16, "P16b": p16b, "P18": p18}
