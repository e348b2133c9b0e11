# SPDX-License-Identifier: Apache-2.0
"""csbx.evaluate() and test_many() by executors: threads, processes that are killed, and dask's scheduler and workers."""
import concurrent.futures
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from repositories import STILL, TARGET

PACKAGE = Path(__file__).resolve().parents[2] / "cmd/python"
PYTHON = "/usr/bin/python3"  # the one that Debian's dask belongs to


def verdicts(records):
    return [(r.id, r.error.code if r.error else (r.result.status, r.result.all_passed)) for r in records]


def lines(n):
    """Functions of which every fifth is wrong; one line that is no line, in the middle."""
    made = [{"id": f"n{i}", "code": f"def f(x): return x + {i + (i % 5 == 0)}", "function": "f", "cases": [((1,), i + 1)]}
            for i in range(n)]
    made[n // 2] = {"id": "bad", "colour": 1}
    return made


def wanted(n):
    made = [(f"n{i}", ("exited", i % 5 != 0)) for i in range(n)]
    made[n // 2] = ("bad", "bad_line")
    return made


@pytest.mark.parametrize("executor", [None, concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor])
def test_shards(client, python_image, executor):
    made = executor(2) if executor else None
    try:
        found = client.evaluate(lines(23), image=python_image, executor=made, shard=4, timeout=60)
        assert sorted(verdicts(found)) == sorted(wanted(23))
        found = client.evaluate(iter(lines(23)), image=python_image, executor=made, shard=4, ordered=True, timeout=60)
        assert verdicts(found) == wanted(23)
        plain = list(client.evaluate(["print(1)", "print(2)"], image=python_image, executor=made, ordered=True, timeout=60))
        assert [(r.id, r.result.stdout) for r in plain] == [(0, "1\n"), (1, "2\n")]
    finally:
        if made:
            made.shutdown()


def test_what_is_kept_is_not_judged_again(client, csbx, python_image):
    keep = csbx.work / "kept"
    call = lambda: client.evaluate(lines(10), image=python_image, shard=3, keep=keep, ordered=True, timeout=60)
    first = list(call())
    again = list(call())
    assert verdicts(first) == verdicts(again) == wanted(10)
    assert [r.result and r.result.id for r in first] == [r.result and r.result.id for r in again]
    assert not list(client.evaluate([], image=python_image))


def test_failures_of_csbx_are_raised_and_not_repeated(client, python_image):
    with pytest.raises(client.SandboxError, match="no-such"):
        list(client.evaluate(["print(1)"], image="./no-such.sqsh"))
    with pytest.raises(client.NotInstalled):
        list(client.evaluate(["print(1)"], image=python_image, csbx="no-such-csbx"))
    with pytest.raises(ValueError, match="shard"):
        list(client.evaluate(["print(1)"], image=python_image, shard=0))


def test_repositories(client, judge):
    patch = judge.fix().read_text()
    what = [{"id": "good", "repo": str(judge.repo), "patch": patch, "fail_to_pass": [TARGET], "pass_to_pass": [STILL]},
            {"id": "none", "repo": str(judge.repo), "fail_to_pass": [TARGET]}, {"id": "word", "colour": 1}]
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        found = list(client.test_many(what, image=judge.image, executor=executor, shard=1, ordered=True, timeout=120))
    assert [(r.id, r.result and r.result.resolved) for r in found] == [("good", True), ("none", False), ("word", None)]
    assert found[0].result.tests[TARGET] == "passed" and found[2].error.code == "bad_line"
    with pytest.raises(client.SandboxError, match="--runner nose"):
        list(client.test_many(what, image=judge.image, runner="nose"))
    assert len(list(client.test_many(what[:1], image=judge.image, runner="pytest", timeout=120))) == 1


# --- dask -----------------------------------------------------------------------------------------

DRIVER = """
import json, os, signal, sys
from distributed import Client
import csbx
address, image, keep, log, victim = sys.argv[1:]
lines = [{"id": n, "code": f"open('/log/log', 'a').write('{n}\\\\n')\\nimport time; time.sleep(0.2)\\nprint({n} ** 2)"} for n in range(60)]
with Client(address) as client:
    executor = client.get_executor(retries=0)
    seen = []
    for record in csbx.evaluate(lines, image=image, executor=executor, shard=5, keep=keep, workers=1, timeout=60,
                                mounts=[f"{log}:/log"]):
        seen.append((record.id, record.result.stdout))
        if len(seen) == 5:
            os.kill(int(victim), signal.SIGKILL)
    print(json.dumps(sorted(seen)))
"""
SCHEDULER = """
import asyncio, sys
from distributed import Scheduler
async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as s:
        print(s.address, flush=True)
        await s.finished()
asyncio.run(main())
"""
WORKER = """
import asyncio, sys
from distributed import Worker
async def main():
    async with Worker(sys.argv[1], nthreads=1, dashboard=False, local_directory=sys.argv[2]) as w:
        print("up", flush=True)
        await w.finished()
asyncio.run(main())
"""


@pytest.fixture
def python(csbx, client):
    """python(program, argument...) -> a process of Debian's interpreter that knows dask, killed at the end."""
    if subprocess.run([PYTHON, "-c", "import distributed"], capture_output=True, check=False).returncode:
        pytest.skip("python3-distributed is not installed")
    made = []

    def start(program, *args):
        env = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1",
               "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "30s"}
        made.append(subprocess.Popen([PYTHON, "-c", program, *map(str, args)], env=env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=csbx.work))
        return made[-1]

    yield start
    for p in made:
        p.kill()
        p.communicate()


def test_dask_loses_a_worker(csbx, python, python_image):
    """Every line has one verdict, and was judged once, though one of two workers is killed in the middle of a shard."""
    log = csbx.work / "log"
    log.mkdir()
    address = python(SCHEDULER).stdout.readline().strip()
    workers = [python(WORKER, address, csbx.work / f"w{n}") for n in range(2)]
    assert [w.stdout.readline() for w in workers] == ["up\n", "up\n"]
    driver = python(DRIVER, address, python_image, csbx.work / "kept", log, workers[0].pid)
    out, err = driver.communicate(timeout=200)
    assert driver.returncode == 0, err[-3000:]
    assert json.loads(out) == [[n, f"{n ** 2}\n"] for n in range(60)]
    assert workers[0].wait(30) == -signal.SIGKILL and workers[1].poll() is None
    assert sorted(map(int, (log / "log").read_text().split())) == list(range(60)), "each was judged once"
