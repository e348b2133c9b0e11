# SPDX-License-Identifier: Apache-2.0
"""Pool: many runs with common options, and an early close that leaves nothing."""
import concurrent.futures
import threading
import time

import pytest


def test_results_in_order(client, python_image):
    with client.Pool(python_image, workers=8, timeout=60) as pool:
        results = list(pool.map([["sh", "-c", f"echo {n}; exit {n % 2}"] for n in range(40)], memory="128m"))
    assert [(r.stdout, r.exit_code) for r in results] == [(f"{n}\n", n % 2) for n in range(40)]
    assert {r.timeout_s for r in results} == {60} and {r.limits.memory.asked for r in results} == {128 << 20}


def test_a_call_says_what_is_its_own(client, python_image):
    with client.Pool(python_image, 2, timeout=60, env={"A": "pool"}) as pool:
        assert pool.run(["sh", "-c", "echo $A"]).stdout == "pool\n"
        assert pool.run(["sh", "-c", "echo $A"], env={"A": "own"}).stdout == "own\n"
        assert pool.run(["sleep", "1200"], timeout=0.3).status == "timeout"
        assert pool.run(["cat"], input=b"x").stdout == "x"
        with pytest.raises(client.LaunchError):
            pool.run(["no-such-command"])
        with pytest.raises(TypeError):
            pool.submit(["true"], no_such=1)


def test_no_more_than_the_workers_at_a_time(client, python_image, running):
    with client.Pool(python_image, workers=2) as pool:
        futures = [pool.submit(["sleep", "0.3"]) for _ in range(6)]
        most = 0
        while not all(f.done() for f in futures):
            most = max(most, len(running()))
    assert 1 <= most <= 2


def test_an_exception_ends_what_runs(client, python_image, running):
    with pytest.raises(ZeroDivisionError):
        with client.Pool(python_image, workers=2) as pool:
            futures = [pool.submit(["sleep", "1201"]) for _ in range(5)]
            while len(running()) < 2:
                time.sleep(0.02)
            raise ZeroDivisionError
    for future in futures:
        with pytest.raises(concurrent.futures.CancelledError):
            future.result()
    assert running() == []


def test_closed_at_any_moment(client, python_image):
    for ms in range(0, 50, 10):
        pool = client.Pool(python_image, workers=3)
        futures = [pool.submit(["sleep", "1202"]) for _ in range(6)]
        threading.Event().wait(ms / 1000)
        pool.close(cancel=True)
        for future in futures:
            with pytest.raises(concurrent.futures.CancelledError):
                future.result()
