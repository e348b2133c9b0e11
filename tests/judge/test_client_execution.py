# SPDX-License-Identifier: Apache-2.0
"""execute_code: what people call today in the place of exec(), with the fields they read."""
import asyncio
import concurrent.futures

import pytest


@pytest.fixture
def execute_code(client, python_image, monkeypatch):
    from csbx.adapters import execute_code as function
    monkeypatch.setenv("PYCSBX_IMAGE", str(python_image))
    return function


def test_success(execute_code):
    result = execute_code("print('hello world')")
    assert result.success and (result.stdout, result.stderr, result.error) == ("hello world\n", "", None)
    assert not result.timeout and not result.memory_exceeded
    assert result.to_dict() == {"success": True, "stdout": "hello world\n", "stderr": "", "error": None, "timeout": False,
                                "memory_exceeded": False, "truncated": False}
    assert repr(result).startswith("ExecutionResult(success=True")
    assert execute_code("import sys; print('careful', file=sys.stderr)").success


@pytest.mark.parametrize("code, error", [
    ("raise ValueError('no good')", "ValueError: no good"), ("1 / 0", "ZeroDivisionError: division by zero"),
    ("class Odd(Exception): pass\nraise Odd", "Odd: "), ("import sys; sys.exit()", "SystemExit: "), ("raise SystemExit(0)", "SystemExit: 0"),
    ("exit(3)", "SystemExit: 3"), ("import sys; sys.exit('words')", "SystemExit: words"), ("x = [", "SyntaxError: "),
    ("import os; os._exit(0)", "Exited before its last statement was done"), ("import ctypes; ctypes.string_at(0)", "Killed by signal 11"),
    ("import os; os._exit(7)", "ended with exit code 7")])
def test_errors_keep_what_was_printed(execute_code, code, error):
    result = execute_code("print('before', flush=True)\n" + code if "= [" not in code else code)
    assert not result.success and result.error.startswith(error), result
    assert not result.timeout and not result.memory_exceeded
    assert result.stdout == ("before\n" if "= [" not in code else "")


def test_timeout(execute_code):
    result = execute_code("print('before', flush=True)\nwhile True: pass", timeout=1)
    assert (result.success, result.timeout, result.error, result.stdout) == (False, True, "Execution timed out", "before\n")


def test_memory(execute_code):
    result = execute_code("print('before', flush=True)\nx = b'x' * (1 << 30)", maximum_memory_bytes=64 << 20)
    assert (result.success, result.memory_exceeded, result.stdout) == (False, True, "before\n")
    assert result.error.startswith("Memory limit exceeded")
    result = execute_code("raise MemoryError('mine')")
    assert (result.success, result.memory_exceeded, result.error) == (False, True, "Memory limit exceeded: mine")
    result = execute_code("x = b'x' * (300 << 20); print(len(x))", maximum_memory_bytes=None, timeout=60)
    assert result.success and result.stdout == "314572800\n"


def test_it_is_a_container(execute_code):
    result = execute_code("import os, socket\nprint(os.getcwd(), os.listdir('.'), 'HOME' in os.environ)\n"
                          "open('/etc/passwd', 'w').write('x')\nsocket.create_connection(('192.0.2.1', 80))")
    assert result.stdout == "/work [] True\n" and "unreachable" in result.error
    with open("/etc/passwd", encoding="utf-8") as f:
        assert f.read(4) != "x"


def test_no_container_no_run(execute_code, client, csbx):
    mark = csbx.work / "mark"
    code = f"open({str(mark)!r}, 'w')"
    with pytest.raises(client.SandboxError):
        execute_code(code, image="./no-such-image.sqsh")
    with pytest.raises(client.SandboxError):
        execute_code(code, csbx="/no/such/csbx")
    assert not mark.exists()


def test_many(execute_code, client):
    from csbx.adapters import execute_code_async
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: execute_code(f"print({n})", timeout=60), range(40)))
    assert [r.stdout for r in results] == [f"{n}\n" for n in range(40)]
    assert asyncio.run(execute_code_async("print(1)")).stdout == "1\n"
