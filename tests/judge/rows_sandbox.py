# SPDX-License-Identifier: Apache-2.0
"""The rows of CodeSandbox, as it was and as it is."""
import pytest

import originals
from rows import row


@row("`CodeSandbox`", "what one case leaves in variables for the next")
def state(b):
    code, cases = "n = [0]\ndef f():\n    n[0] += 1\n    return n[0]", [((), 1, "", ""), ((), 2, "", "")]
    assert originals.cases_in_a_script(code, "f", *cases) == [True, True] and b.passed(code, *cases) == [True, False]
    code = "def f():\n    with open('/tmp/n', 'a+') as file:\n        return file.write('x') and file.tell()"
    assert b.passed(code, *cases) == [True, True], "its files are there"


@row("`CodeSandbox`", "`if __name__ == \"__main__\":` beside cases")
def main_guard_beside_cases(b):
    code, case = "n = 1\nif __name__ == '__main__': n = 2\ndef f(): return n", ((), 2, "", "")
    assert originals.cases_in_a_script(code, "f", case) == [True] and b.passed(code, case) == [False]
    assert b.sandbox().run("if __name__ == '__main__': print('ran')").stdout == "ran\n", "without cases it is a program"


@row("`CodeSandbox`", "a function that is not there")
def no_function(b):
    assert originals.cases_in_a_script("def g(): pass", "f", ((), 2, "", "")) is None
    result = b.sandbox().run("def g(): pass", "f", [b.adapters.TestCase("a", (), expected_output=2)])
    assert not result.success and [t["passed"] for t in result.test_results] == [False]


@row("`CodeSandbox`", "memory beyond the limit")
def memory_of_a_case(b):
    code = "def f():\n    try: return len(b'x' * (700 << 20))\n    except MemoryError: return 0"
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))"
    assert originals.cases_in_a_script(code, "f", ((), 0, "", ""), setup=limit) == [True]
    result = b.sandbox(max_memory_mb=300).run(code, "f", [b.adapters.TestCase("a", (), expected_output=0)])
    assert not result.success and "memory" in result.test_results[0]["detail"]


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
    assert originals.cases_in_a_script(code, "C.f", ((), 3, "", "")) is None
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


@row("`CodeSandbox`", "a `memoryview` that is returned")
def view(b):
    code, case = "def f(): return memoryview(b'ab')", ((), b"ab", "", "")
    assert originals.cases_in_a_script(code, "f", case) == [True] and b.passed(code, case) == [False]


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


@row("`CodeSandbox`", "`expected_type` of a class that is not built in, and that the answer's class derives from")
def base_of_a_type(b):
    code = "class A: pass\nclass B(A): pass\ndef f(): return B()"
    cases = ((), None, "A", ""), ((), None, "B", "")
    assert originals.cases_in_a_script(code, "f", *cases) == [True, True] and b.passed(code, *cases) == [False, True]


@row("`CodeSandbox`", "`slice`, `...` or an object of another class as an argument")
def no_data(b):
    from decimal import Decimal
    setup = "from decimal import Decimal"
    for value in (slice(1, 2), ..., [Decimal("1.5")]):
        assert originals.cases_in_a_script("def f(x): return str(x)", "f", ((value,), str(value), "", ""), setup=setup) == [True]
        with pytest.raises(TypeError, match="a case cannot have"):
            b.passed("def f(x): return str(x)", ((value,), "", "", ""))


@row("`CodeSandbox`", "`frozenset`, `bytearray` as arguments")
def frozen(b):
    code = "def f(x): return type(x).__name__"
    cases = ((frozenset([1]),), "frozenset", "", ""), ((bytearray(b"a"),), "bytearray", "", "")
    assert originals.cases_in_a_script(code, "f", *cases) == [True, True]
    assert b.passed(code, ((frozenset([1]),), "set", "", ""), ((bytearray(b"a"),), "bytes", "", "")) == [True, True]


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


@row("`CodeSandbox`", "`open(`, `eval(` in the code, a forbidden name in a comment")
def words(b):
    code = "open('f', 'w').write(str(eval('1 + 1')))  # no import socket"
    assert originals.refused_words(code) == ["socket", "open(", "eval("]
    assert b.sandbox().run(code).success


@row("`CodeSandbox`", "network, files, environment and standard input of the caller")
def surroundings(b):
    code = "import os\ndef f(): return [os.path.exists(%r), 'CSBX' in os.environ, os.path.exists('/proc/self/fd/0') and os.readlink('/proc/self/fd/0')]"
    code %= str(b.where)
    assert originals.cases_in_a_script(code, "f", ((), None, "list", "")) == [True]
    assert originals.cases_in_a_script(code.replace("return", "return f.__name__ and"), "f", ((), [True, True, "x"], "", "")) == [False]
    shown = b.sandbox().run(code, "f", [b.adapters.TestCase("a")]).test_results[0]["output"]
    assert shown == "[False, False, '/dev/null']"
