# SPDX-License-Identifier: Apache-2.0
"""The rows of execute_code, as it was and as it is."""
import originals
from rows import row


@row("`execute_code`", "`if __name__ == \"__main__\":`")
def main_guard(b):
    code = "if __name__ == '__main__': print('ran')"
    assert originals.exec_in_a_child(code)["stdout"] == "" and b.run(code).stdout == "ran\n"


@row("`execute_code`", "`exit()`, `os.getcwd()` and others that the guard replaces")
def exit_name(b):
    for code in ("exit(3)", "import os; os.getcwd()"):
        assert originals.exec_in_a_child(code)["error"] == "TypeError"
    assert b.run("exit(3)").error.startswith("SystemExit: 3") and b.run("import os; os.getcwd()").success


@row("`execute_code`", "`stdout` and `stderr` of code that failed")
def output_of_a_failure(b):
    code = "print('before')\n1 / 0"
    before, after = originals.exec_in_a_child(code), b.run(code)
    assert (before["error"], before["stdout"], before["stderr"]) == ("ZeroDivisionError", "", "")
    assert after.error.startswith("ZeroDivisionError") and after.stdout == "before\n" and "line 2" in after.stderr


@row("`execute_code`", "standard input")
def standard_input(b):
    assert originals.exec_in_a_child("input()")["error"] == "OSError" and b.run("input()").error.startswith("EOFError")
    code = "import sys; print(repr(sys.stdin.read()))"
    assert not originals.exec_in_a_child(code)["success"] and b.run(code).stdout == "''\n"


@row("`execute_code`", "a lone surrogate that is printed")
def surrogate(b):
    code = "print('\\ud800')"
    assert originals.exec_in_a_child(code)["stdout"] == "\ud800\n" and b.run(code).error.startswith("UnicodeEncodeError")
    assert b.run("print('\\udc80')").stdout == "\ufffd\n", "a byte that is no UTF-8"


@row("`execute_code`", "`os._exit()`")
def early_end(b):
    for code, said in (("import os; os._exit(3)", "exit code 3"), ("import os; os._exit(0)", "last statement")):
        before, after = originals.exec_in_a_child(code), b.run(code)
        assert before["timeout"] and not after.timeout and not after.success and said in after.error


@row("`execute_code`", "time beyond the limit")
def time_limit(b):
    code = "import time\ntry: time.sleep(30)\nexcept Exception: print('caught')"
    assert originals.exec_in_a_child(code, seconds=1)["stdout"] == "caught\n"
    after = b.adapters.execute_code(code, 1.0, image=b.image)
    assert after.timeout and after.error == "Execution timed out" and after.stdout == ""


@row("`execute_code`", "network, files and modules of the host")
def host(b):
    (b.where / "mine.py").write_text("x = 5\n", encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(b.where)!r})\nimport mine; print(mine.x)"
    assert originals.exec_in_a_child(code)["stdout"] == "5\n" and b.run(code).error.startswith("ModuleNotFoundError")
    code = "print([line.split(':')[0].strip() for line in open('/proc/net/dev').read().splitlines()[2:]])"
    assert b.run(code).stdout == "['lo']\n"


@row("`execute_code`", "memory beyond the limit")
def memory_error(b):
    code = "try: x = b'x' * (700 << 20)\nexcept MemoryError: print('caught')"
    before = originals.exec_in_a_child(code, 300 << 20)
    after = b.run(code, maximum_memory_bytes=300 << 20)
    assert before["success"] and before["stdout"] == "caught\n"
    assert not after.success and after.memory_exceeded and after.stdout == ""


@row("`execute_code`", "output of more than 1 MiB")
def output(b):
    code = "print('x' * (3 << 20))"
    assert len(originals.exec_in_a_child(code)["stdout"]) == (3 << 20) + 1
    assert b.run(code).truncated and not b.run(code, maximum_output_bytes=4 << 20).truncated
