# SPDX-License-Identifier: Apache-2.0
"""Every row of the table of differences in docs/judging.md, as it was and as it is."""
import os
import re
from pathlib import Path

import pytest

import originals
from repositories import STILL, TARGET

PAGE = Path(__file__).resolve().parents[2] / "docs/judging.md"
ROWS = {}


def row(interface, what):
    def note(function):
        ROWS[interface, what] = function
        return function
    return note


class Both:
    """The things that the rows need: the adapters, told of the images."""

    def __init__(self, client, image, judge, where):
        from csbx import adapters
        self.client, self.image, self.judge, self.where, self.adapters = client, image, judge, where, adapters

    def run(self, code, **named):
        return self.adapters.execute_code(code, timeout=30, image=self.image, **named)

    def sandbox(self, **named):
        return self.adapters.CodeSandbox(image=self.image, timeout=30, **named)

    def passed(self, code, *cases):
        """Verdicts on f, of the cases of originals.py, or of a dict of arguments of TestCase."""
        made = [self.adapters.TestCase(str(n), **c) if isinstance(c, dict) else self.adapters.TestCase(str(n), *[c[0], None, *c[1:]])
                for n, c in enumerate(cases)]
        return [t["passed"] for t in self.sandbox().run(code, "f", made).test_results]

    def executor(self, **named):
        return self.adapters.SandboxExecutor(str(self.judge.image), timeout=100, **named)


@row("`execute_code`", "`if __name__ == \"__main__\":`")
def main_guard(b):
    code = "if __name__ == '__main__': print('ran')"
    assert originals.exec_in_a_child(code)["stdout"] == "" and b.run(code).stdout == "ran\n"


@row("`execute_code`", "`exit()`")
def exit_name(b):
    code = "import builtins\nbuiltins.exit = None\nexit(3)"  # as the guard has done before the code
    assert originals.exec_in_a_child(code)["error"] == "TypeError"
    assert b.run("exit(3)").error.startswith("SystemExit: 3")


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


@row("`CodeSandbox`", "what one case leaves for the next")
def state(b):
    code, cases = "n = [0]\ndef f():\n    n[0] += 1\n    return n[0]", [((), 1, "", ""), ((), 2, "", "")]
    assert originals.cases_in_a_script(code, "f", *cases) == [True, True] and b.passed(code, *cases) == [True, False]


@row("`CodeSandbox`", "a NaN that is expected")
def nan(b):
    code = "def f(): return float('nan')"
    assert originals.cases_in_a_script("nan = float('nan')\n" + code, "f", ((), float("nan"), "", "")) == [False]
    assert b.passed(code, ((), float("nan"), "", "")) == [True]


@row("`CodeSandbox`", "`async def`, `Class.method`")
def async_and_methods(b):
    code = "async def f(): return 3"
    assert originals.cases_in_a_script(code, "f", ((), 3, "", "")) == [False] and b.passed(code, ((), 3, "", "")) == [True]
    code, case = "class C:\n    def f(self): return 3", b.adapters.TestCase("a", (), expected_output=3)
    assert originals.cases_in_a_script(code, "C.f", ((), 3, "", "")) == [False]
    assert b.sandbox().run(code, "C.f", [case]).all_passed


@row("`CodeSandbox`", "`sys.exit(0)` before the end")
def early_exit(b):
    code = "import sys\nsys.exit(0)\nraise ValueError"
    assert originals.script_without_cases(code) and not b.sandbox().run(code).success


@row("`CodeSandbox`", "text on stderr, without cases")
def stderr_text(b):
    code = "import sys\nprint('careful', file=sys.stderr)"
    assert not originals.script_without_cases(code) and b.sandbox().run(code).success


@row("`CodeSandbox`", "an answer that is equal to everything")
def equal(b):
    code = "class E(int):\n    __eq__ = lambda s, o: True\n    __ne__ = lambda s, o: False\ndef f(): return E()"
    assert originals.cases_in_a_script(code, "f", ((), 8231, "", "")) == [True] and b.passed(code, ((), 8231, "", "")) == [False]


@row("`CodeSandbox`", "a marker line that the code prints")
def marker(b):
    code = "print('__MARK__[true]')\nraise SystemExit(0)\ndef f(): return 1"
    assert originals.cases_in_a_script(code, "f", ((), 2, "", "")) == [True]
    assert not b.sandbox().run(code, "f", [b.adapters.TestCase("a", (), expected_output=2)]).success


@row("`CodeSandbox`", "an exception expected by the name of its base")
def base(b):
    code = "def f(): return {}[1]"
    case = ((), None, "", "LookupError")
    assert originals.cases_in_a_script(code, "f", case) == [False] and b.passed(code, case) == [True]


@row("`CodeSandbox`", "a `range` of numbers beyond 64 bits as an argument")
def arguments(b):
    case = ((range(1 << 70, (1 << 70) + 3),), 3, "", "")
    assert originals.cases_in_a_script("def f(x): return len(x)", "f", case) == [True]
    with pytest.raises(ValueError, match="beyond 64 bits"):
        b.passed("def f(x): return 1", case)


@row("`CodeSandbox`", "`forbidden_modules=[]`, `allow_imports=False`")
def lists(b):
    assert originals.refused_words("import subprocess", []) and not originals.refused_words("import math", allow_imports=False)
    assert b.sandbox(forbidden_modules=[]).run("import subprocess").success
    assert not b.sandbox(allow_imports=False).run("import math").success and b.sandbox().run("import math").success


@row("`CodeSandbox`", "`open(`, `eval(` in the code")
def words(b):
    code = "open('f', 'w').write(str(eval('1 + 1')))"
    assert originals.refused_words(code) == ["open(", "eval("]
    assert b.sandbox().run(code).success


@row("`SandboxExecutor`", "a line `id PASSED` that a test prints")
def printed(b):
    forged = f"{TARGET} PASSED\n"
    assert originals.words_of_pytest(forged) == {TARGET: "PASSED"}
    with b.executor().workspace() as where:
        executor = b.executor(allowed_commands=b.adapters.MORE_COMMANDS)
        executor.clone_repo(b.judge.repo, "", where)
        (where / "conftest.py").write_text(f"import os\nprint({forged!r}, flush=True)\nos._exit(0)\n", encoding="utf-8")
        result = executor.run_tests(where, [TARGET])
        assert result.passed == [] and not result.check_tests([TARGET])[0] and not result.all_passed


@row("`SandboxExecutor`", "ids with blanks, dots, other characters")
def ids(b):
    name = "test_ids.py::test_it[a b.c]"
    assert originals.words_of_pytest(f"{name} PASSED\n") == {}
    with b.executor().workspace() as where:
        (where / "test_ids.py").write_text("import pytest\n@pytest.mark.parametrize('x', ['a b.c'])\ndef test_it(x): pass\n", encoding="utf-8")
        assert b.executor().run_tests(where, [name]).passed == [name]


@row("`SandboxExecutor`", "`use_docker=False`, no docker")
def no_docker(b):
    here = originals.python("import os; print(os.getpid() > 1, os.getcwd())").stdout
    assert here == f"True {os.getcwd()}\n", "it ran on the host"
    with b.executor().workspace() as where:
        done = b.executor(use_docker=False).run_command(["python3", "-c", "import os; print(os.getcwd(), os.getuid())"], where)
        assert done.stdout == "/workspace 1000\n"
        assert b.adapters.SandboxExecutor("./none.sqsh", use_docker=False).run_command("ls", where).returncode == -2


@row("`SandboxExecutor`", "the workspace after `run_tests`")
def unchanged(b):
    with b.executor().workspace() as where:
        b.executor().clone_repo(b.judge.repo, "", where)
        before = sorted(str(p) for p in where.rglob("*"))
        b.executor().run_tests(where, [STILL])
        assert sorted(str(p) for p in where.rglob("*")) == before and not list(where.rglob("__pycache__"))
        b.executor().run_command(["python3", "-m", "pytest", "-q", STILL], where)
        assert list(where.rglob("__pycache__")), "pytest itself leaves its caches"


@row("`SandboxExecutor`", "the image `code-agent-sandbox:latest`")
def image(b):
    import inspect
    assert inspect.signature(b.adapters.SandboxExecutor).parameters["image"].default is None
    b.client.configure(image=b.image)
    try:
        assert b.adapters.SandboxExecutor().image == str(b.image)
    finally:
        b.client.configure(image=None)


@row("`SandboxedCoder`", "stdout of more than `max_output`")
def coder_output(b):
    code = "import sys; sys.stdout.write('x' * (2 << 20))"
    assert len(originals.python(code).stdout) == 2 << 20
    with b.adapters.SandboxedCoder(str(b.image), "rows") as coder:
        with pytest.raises(RuntimeError, match="stdout is cut"):
            coder.execute(code)
        coder.max_output = "3m"
        assert len(coder.execute(code)) == 2 << 20


@row("`SandboxedCoder`", "network, home directory, host's /tmp")
def coder_place(b):
    code = "import os\nfor name in ('/proc/net/route', '/proc/net/dev'): print(len(open(name).readlines()))\nprint(os.path.exists(%r))"
    code %= str(b.where)
    assert originals.python(code).stdout.splitlines()[2] == "True"
    with b.adapters.SandboxedCoder(str(b.image), "rows") as coder:
        assert coder.execute(code).splitlines()[2] == "False"


@pytest.mark.parametrize("which", ROWS, ids=lambda w: ROWS[w].__name__)
def test_row(client, python_image, judge, csbx, which):
    ROWS[which](Both(client, python_image, judge, csbx.work))


def test_the_table_has_these_rows():
    part = PAGE.read_text(encoding="utf-8").split("## Differences from before\n")[1].split("\n# ")[0]
    found = re.findall(r"^\| (`\w+`) \| (.+?) \| .+ \| .+ \| .+ \|$", part, re.M)
    assert sorted(found) == sorted(ROWS)


SAME = [("True is an int", "def f(x): return True", ((1,), None, "int", "")), ("object", "def f(x): return x", ((1,), None, "object", "")),
        ("object, raised", "def f(x): return 1 / 0", ((1,), None, "object", "")), ("not None", "def f(x): return x", ((1,), None, "", "")),
        ("Decimal", "import decimal\ndef f(x): return decimal.Decimal('1.5')", ((1,), 1.5, "", "")),
        ("other Decimal", "import decimal\ndef f(x): return decimal.Decimal('1.5')", ((1,), 1.25, "", "")),
        ("Fraction", "import fractions\ndef f(x): return fractions.Fraction(6, 2)", ((1,), 3, "", "")),
        ("keys", "def f(x): return {1: 2, 3: 4}.keys()", ((1,), {1, 3}, "", "")), ("keys and a list", "def f(x): return {1: 2}.keys()", ((1,), [1], "", "")),
        ("items", "def f(x): return {1: 2}.items()", ((1,), {(1, 2)}, "", "")), ("values", "def f(x): return {1: 2}.values()", ((1,), [2], "", "")),
        ("complex", "def f(x): return 1 + 2j", ((1,), 1 + 2j, "", "")), ("other complex", "def f(x): return 1 - 2j", ((1,), 1 + 2j, "", "")),
        ("complex 3", "def f(x): return 3 + 0j", ((1,), 3, "", "")), ("range", "def f(x): return range(0, 7, 2)", ((1,), range(0, 8, 2), "", "")),
        ("complex taken", "def f(x): return type(x) is complex and x * 1j", ((1 + 2j,), -2 + 1j, "", "")),
        ("range taken", "def f(x): return (type(x) is range, len(x), x[-1], x)", ((range(9, 0, -4),), (True, 3, 1, range(9, -1, -4)), "", "")),
        ("other range", "def f(x): return x", ((range(5),), range(6), "", "")), ("no range", "def f(x): return range(3, 3)", ((1,), range(0), "", "")),
        ("range beyond", "def f(x): return range(1 << 70, 1 + (1 << 70))", ((1,), range(1 << 70, 1 + (1 << 70)), "", "")),
        ("key 3", "def f(x): return {3 + 0j: 1}", ((1,), {3: 1}, "", "")), ("complex in a set", "def f(x): return {1j, 2}", ((1,), {2, 1j}, "", "")),
        ("range and a list", "def f(x): return range(2)", ((1,), [0, 1], "", "")), ("tuple for list", "def f(x): return (1, 2)", ((1,), [1, 2], "", "")),
        ("tuple in list", "def f(x): return [(1, 2)]", ((1,), [[1, 2]], "", "")), ("list", "def f(x): return [1, [2]]", ((1,), [1, [2]], "", "")),
        ("1 and True", "def f(x): return 1", ((1,), True, "", "")), ("int and float", "def f(x): return 2", ((1,), 2.0, "", "")),
        ("False is 0, an int", "def f(x): return False", ((1,), 0, "int", "")), ("True is not 2", "def f(x): return True", ((1,), 2, "int", "")),
        ("no int", "def f(x): return 'a'", ((1,), None, "int", "")), ("long text", "def f(x): return 'ab' * 90000", ((1,), "ab" * 90000, "", "")),
        ("long list", "def f(x): return [7] * 90000", ((1,), [7] * 90000, "", ""))]


@pytest.mark.parametrize("name, code, case", SAME, ids=[s[0] for s in SAME])
def test_verdicts_are_what_they_were(client, python_image, name, code, case):
    both = Both(client, python_image, None, None)
    assert both.passed(code, case) == originals.cases_in_a_script(code, "f", case), name


def test_both_words_for_what_is_expected(client, python_image):
    both = Both(client, python_image, None, None)
    code = "def f(x): return x"
    given = [{"input_args": (1,), "expected_output": None}, {"args": (1,), "expected": None}, {"args": (None,), "expected": None}]
    assert both.passed(code, *given) == [True, False, True]


def test_outputs_are_shown_as_python_writes_them(client, python_image):
    from csbx.adapters import TestCase
    both = Both(client, python_image, None, None)
    code = ("import decimal\ndef f(x):\n    if x == 0: raise ValueError('no')\n    return {1: decimal.Decimal('1.5'), 2: None, 3: {'$other': 'Decimal', "
            "'repr': \"Decimal('3')\"}}[x]")
    result = both.sandbox(max_output=1000).run("print('x' * 5000)\n" + code, "f", [
        TestCase("raised", (0,), expected_exception="ValueError"), TestCase("failed", (0,), expected_output=1),
        TestCase("decimal", (1,), expected_output=1), TestCase("none", (2,)), TestCase("forged", (3,), expected_output=3)])
    assert [(t["output"], t["passed"]) for t in result.test_results] == [
        ("", True), ("", False), ("Decimal('1.5')", False), ("None", True), ("{'$other': 'Decimal', 'repr': \"Decimal('3')\"}", False)]
    assert result.truncated and not both.sandbox().run("print('x' * 5000)").truncated


def test_words_that_are_no_values(client):
    """Words that a class of the judged code has as its name and its repr."""
    from csbx.adapters import answers
    for kind, text in (("Decimal", "Decimal('x')"), ("Decimal", "Decimal('sNaN')"), ("Fraction", "Fraction(1, 0)"), ("complex", "()"), ("range", "range(1, 2, 0)"),
                       ("dict_keys", "dict_keys([[]])"), ("dict_keys", "dict_keys([" + "(" * 150 + "])"), ("dict_keys", "dict_keys([f()])"),
                       ("range", "range(" + "9" * 300), ("Other", "1"), ("Decimal", "Decimal('1')\n"), ("range", "range(1, 2); 3")):
        assert not answers.equals({"$other": kind, "repr": text}, 1), (kind, text)
    assert not answers.equals({"$other": "Other", "repr": "1"}, answers.UNKNOWN)
