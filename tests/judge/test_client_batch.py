# SPDX-License-Identifier: Apache-2.0
"""eval_batch, and Pool's eval and test: many snippets, whatever is wrong with some of them."""
import asyncio
import itertools

import pytest

from repositories import STILL, TARGET


@pytest.mark.parametrize("number", (10 ** 4300, -(10 ** 5000) - 7, 3 ** 20000, 10 ** 100000 + 1), ids=("4301", "5001", "9543", "100001"))
def test_long_numbers_are_sent(client, python_image, number):
    """Arguments and expected values; json writes no more than 4,300 digits of one."""
    from csbx import call, values  # pylint: disable=import-outside-toplevel
    cases = [{"args": [[number, "\\u0000"]], "expected": {"sum": number + 1}}, ((number,), number), ([[number]], number + 2)]
    assert values.dumps({"a": [number, 1, "x"]}) == '{"a": [' + values.digits_of(number) + ', 1, "x"]}'
    assert call.loads(values.dumps([number])) == [number]
    code = "def f(x):\n    return {'sum': x[0] + 1} if isinstance(x, list) else x\n"
    result = client.eval(code, image=python_image, function="f", cases=cases)
    assert [c.passed for c in result.cases] == [True, True, False]
    line = {"id": "long", "code": code, "function": "f", "cases": cases}
    for records in client.eval_batch([line], image=python_image), client.evaluate([line], image=python_image):
        assert [[c.passed for c in r.result.cases] for r in records] == [[True, True, False]]


def test_what_is_no_lines(client, python_image):
    """A name of a file has letters, and a snippet has keys: each would be run as a program."""
    for lines in "snippets.jsonl", b"print(1)", {"code": "print(1)"}:
        for call in client.eval_batch, client.evaluate, client.test_many:
            with pytest.raises(TypeError, match="an iterable of snippets"):
                list(call(lines, image=python_image))


def test_a_number_of_many_digits(client, python_image):
    """json reads no more than 4,300 digits of it."""
    big = {"id": "big", "code": "def f(x): return x * 10 ** 5000", "function": "f", "cases": [{"args": [-7]}]}
    result = client.eval(big["code"], image=python_image, function="f", cases=[((-7,), 0)])
    assert result.cases[0].output == -7 * 10 ** 5000 and not result.cases[0].passed
    assert "output=-70000" in repr(result.cases) and len(repr(result.cases)) < 1000
    for records in client.eval_batch([big, "print(1)"], image=python_image), client.evaluate([big, "print(1)"], image=python_image):
        found = {r.id: r for r in records}
        assert found["big"].result.cases[0].output == -7 * 10 ** 5000 and found[1].result.stdout == "1\n"


BY_HAND = """
import os, sys

def f():
    frame = sys._getframe()
    while "number" not in frame.f_locals:
        frame = frame.f_back
    data = b"l4:s1:Rs3:set%sN"
    os.write(3, b"A\\0\\0\\0" + len(data).to_bytes(4, "little") + frame.f_locals["number"] + data)
    os._exit(0)
"""


def test_answers_that_a_set_cannot_have(client, python_image):
    """An answer that judged code writes by hand is no exception in the caller's process, and the batch goes on."""
    answers = {"set": "return {frozenset({1}), 2}", "key": "return {(1, frozenset({2})): [3]}"}
    lines = [{"id": k, "code": f"def f(): {v}", "function": "f", "cases": [{"expected": 0}]} for k, v in answers.items()]
    for name, data in ("list", "e1:l1:i1;"), ("dict", "d1:l0:i1;"):
        lines.append({"id": name, "code": BY_HAND % data, "function": "f", "cases": [{"expected": 0}]})
    records = {r.id: r.result for r in client.eval_batch(lines, image=python_image)}
    assert {k: r.cases[0].output for k, r in records.items()} == {
        "set": {frozenset({1}), 2}, "key": {(1, frozenset({2})): [3]}, "list": {"$set": [[1]]}, "dict": {"$dict": [[[], 1]]}}
    assert not any(r.cases[0].passed for r in records.values())


def test_batch(client, python_image):
    jobs = ["print(1)", {"id": "cases", "code": "def f(x): return (x, {x})", "function": "f",
                         "cases": [client.Case((1,), (1, {1})), ((2,), None), {"input_args": [3], "expected_output": (3, {3})}]},
            {"id": "time", "code": "while True: pass", "timeout": 0.5}, {"id": "bad", "code": "1", "no_such": 1},
            {"id": "file", "code": b"print(open('data').read())", "files": {"data": b"in a file"}},
            {"id": "c", "code": "exit 3", "lang": "cobol"}]
    records = {r.id: r for r in client.eval_batch(jobs, image=python_image, workers=3, timeout=60)}
    assert set(records) == {0, "cases", "time", "bad", "file", "c"}
    assert records[0].result.stdout == "1\n" and records[0].result.completed and records[0].error is None
    assert [c.passed for c in records["cases"].result.cases] == [True, False, True]
    assert records["cases"].result.cases[1].output == (2, {2}) and len(records["cases"].result.id) == 12
    assert records["time"].result.status == "timeout"
    assert records["bad"].result is None and "no_such" in records["bad"].error.message
    assert records["c"].result is None and "lang" in records["c"].error.message
    assert records["file"].result.stdout == "in a file\n"


def test_batch_of_many(client, python_image):
    records = list(client.eval_batch((f"print({n})" for n in range(100)), image=python_image, workers=4, timeout=60))
    assert sorted((r.id, r.result.stdout) for r in records) == [(n, f"{n}\n") for n in range(100)]


def test_lanes(client, python_image):
    """/dev/shm is as old as the container; the clock of its kernel ticks every 4 ms, less than a start takes."""
    lines = ["import os; print(os.stat('/dev/shm').st_ctime_ns)"] * 12
    for lanes, expected in ((True, 4), (False, 12)):
        seen = {r.result.stdout for r in client.eval_batch(lines, image=python_image, workers=1, lanes=lanes)}
        assert abs(len(seen) - expected) < 3, (lanes, seen)  # two may begin in one tick


def test_numbers_and_ids(client, python_image):
    """A number is the id of a snippet without one: it never is that of two."""
    jobs = ["print(1)", {"task_id": "t", "code": "print(2)"}, {"id": None, "code": "print(3)"}, {"id": 7, "code": "print(4)"},
            {"id": 7, "code": "print(5)"}]
    for call in client.eval_batch, client.evaluate:
        found = sorted((str(r.id), r.result.stdout) for r in call(jobs, image=python_image))
        assert found == [("0", "1\n"), ("2", "3\n"), ("7", "4\n"), ("7", "5\n"), ("t", "2\n")]
        for mixed in (["1", {"id": 0, "code": "1"}], [{"id": 1, "code": "1"}, "1"]):
            with pytest.raises(ValueError, match="the number of a line without an id"):
                list(call(mixed, image=python_image))


def test_batch_left_early(client, python_image, running):
    asked = itertools.count()
    batch = client.eval_batch((f"print({next(asked)})" for _ in range(10**6)), image=python_image, workers=2, timeout=60)
    assert next(batch).result.success
    batch.close()
    assert next(asked) < 100000 and running() == []


def test_batch_of_a_broken_iterable(client, python_image):
    def jobs():
        yield "print(1)"
        raise KeyError("mine")
    got = []
    with pytest.raises(KeyError, match="mine"):
        for record in client.eval_batch(jobs(), image=python_image):
            got.append(record)
    assert [r.result.stdout for r in got] == ["1\n"]
    with pytest.raises(TypeError):
        list(client.eval_batch([{"code": object()}], image=python_image))


def test_batch_without_an_image(client):
    with pytest.raises(client.SandboxError, match="no-such-image"):
        list(client.eval_batch(["print(1)"] * 50, image="./no-such-image.sqsh"))


def test_pool(client, python_image, judge):
    with client.Pool(python_image, workers=3, timeout=60) as pool:
        assert [r.stdout for r in pool.map_eval([f"print({n})" for n in range(9)])] == [f"{n}\n" for n in range(9)]
        assert pool.submit_eval("def f(): return 1", function="f", cases=[((), 1)]).result().all_passed
    with client.Pool(judge.image, workers=2, timeout=120) as pool:
        futures = [pool.submit_test(judge.repo, patches=p, fail_to_pass=[TARGET], pass_to_pass=[STILL]) for p in ((), judge.fix())]
        assert [f.result().resolved for f in futures] == [False, True]


def test_check_and_files(client, python_image):
    check = "from solution import add\nassert add(1, 2) == 3\nassert add('a', 'b') == 'ab'\n"
    assert client.eval("def add(a, b): return a + b", image=python_image, check=check, timeout=60).check().passed
    result = client.eval("def add(a, b): return a - b", image=python_image, check=check, timeout=60)
    assert result.success and not result.passed and result.feedback
    with pytest.raises(client.ProgramError, match="not all"):
        result.check()
    result = client.eval("print(open('my data').read())", image=python_image, files={"my data": "x"}, timeout=60)
    assert result.stdout == "x\n"
    for name in ("../x", "", "a/b", ".."):
        with pytest.raises(ValueError):
            client.eval("1", image=python_image, files={name: "x"})


def test_batch_to_await(client, python_image, running):
    async def all_of(*jobs):
        return [record async for record in client.aio.eval_batch(jobs, image=python_image, workers=2, timeout=60)]

    async def both():
        return await asyncio.gather(all_of("print(1)", {"id": "x", "code": "print(2)"}, {"id": "bad", "no": 1}), all_of("print(3)"))

    first, second = asyncio.run(both())
    assert {r.id: r.result.stdout if r.result else r.error.code for r in first} == {0: "1\n", "x": "2\n", "bad": "bad_line"}
    assert [r.result.stdout for r in second] == ["3\n"] and running() == []


def test_batch_to_await_left_early(client, python_image, running):
    async def some():
        batch = client.aio.eval_batch(["print(1)", "import time; time.sleep(600)"], image=python_image, workers=2, timeout=900)
        async for record in batch:
            assert record.result.stdout == "1\n"
            break
        await batch.aclose()

    async def cancelled():
        async def wait():
            async for _ in client.aio.eval_batch(["import time; time.sleep(600)"], image=python_image, timeout=900):
                pass
        task = asyncio.ensure_future(wait())
        while not running():
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(some(), 60))
    asyncio.run(asyncio.wait_for(cancelled(), 60))
    assert running() == []


def test_batch_to_await_of_a_broken_csbx(client, python_image):
    async def all_of():
        return [r async for r in client.aio.eval_batch(["1"], image="no-such-image")]
    with pytest.raises(client.SandboxError, match="no-such-image"):
        asyncio.run(all_of())
