# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: answers that a snippet writes on its channel by hand. Asserting code sees no class that does something for them,
and no code of the snippet's choice runs where asserting code runs."""
import pytest
from test_eval_told import cause, judge

# What writes literals (cmd/harness/PROTOCOL.md) and sends one in the place of the harness's answer.
WRITE = """
import os, sys
def number():
    frame = sys._getframe()
    while frame.f_code.co_name != "run_case":
        frame = frame.f_back
    return frame.f_locals["number"]
def s(text):
    data = text.encode()
    return b"s%d:%b" % (len(data), data)
def i(n): return b"i%d;" % n
def t(*items): return b"t%d:%b" % (len(items), b"".join(items))
def l(*items): return b"l%d:%b" % (len(items), b"".join(items))
def d(**items): return b"d%d:%b" % (len(items), b"".join(s(k) + v for k, v in items.items()))
def x(name, part): return b"x" + s(name) + part
def builtin(name): return x("builtin", s(name))
def function(name): return x("function", s(name))
def made_class(base="int", keys=("=F", "builtins.int", "builtins.object"), refused=(), **shown):
    return x("class", t(builtin(base) if base else b"N", s("F"), b"N", t(*map(s, keys)), d(**shown), t(*map(s, refused)), b"T", b"T"))
def library_class(key): return made_class(None, (key,))
def subclass(kind, value=i(0), member=(b"N", b"N"), **state): return x("subclass", t(kind, value, d(**state), b"N", *member))
def answer(items):
    data = l(*items)
    os.write(3, b"A\\0\\0\\0" + len(data).to_bytes(4, "little") + number() + data)
    os._exit(0)
def returned(value): answer((s("R"), s("int"), value, b"N", b"F"))
def raised(kind, args, **state): answer((s("E"), s("E"), s("ValueError"), s("m"), i(0), b"N", l(kind, args, d(**state), b"N"), b"F"))
def error(name="E", module="snippet", bases=("ValueError",), of_library=b"F", **shown):
    return l(i(5), s(name), s(module), l(*map(s, bases)), of_library, d(**shown), t())
def leak(*args):
    print("LEAK", args)
    return True
"""
EQUAL = "assert f() == 2"
BY_HAND = [
    ("returned(i(2))", EQUAL, True),  # what is written is what is read
    ("returned(subclass(made_class(), i(2)))", EQUAL, True),
    ("returned(subclass(made_class(__eq__=builtin('repr'))))", EQUAL, False),
    ("returned(subclass(made_class(__eq__=function('leak'))))", EQUAL, False),
    ("returned(subclass(made_class(__getattr__=function('leak'))))", "assert f().real2", False),
    ("returned(subclass(made_class(__class__=builtin('str'))))", "assert isinstance(f(), str)", False),
    ("returned(subclass(made_class(keys=('=F', 'builtins.str', 'builtins.int', 'builtins.object'))))", "assert isinstance(f(), str)", False),
    ("returned(subclass(made_class(keys=('__main__.Mine', 'builtins.int', 'builtins.object'))))",
     "class Mine: pass\nassert type(f()) == Mine", False),
    ("returned(subclass(made_class(conjugate=function('leak'))))", "assert f().conjugate('wanted')", False),
    ("returned(subclass(made_class('list', ('=F', 'builtins.list', 'builtins.object')), l(), index=function('leak')))", "assert f().index(3)", False),
    ("returned(subclass(made_class('list', ('=F', 'builtins.list', 'builtins.object')), l(), __deepcopy__=builtin('repr')))",
     "import copy\nassert copy.deepcopy(f())", False),
    ("returned(b'e1:' + subclass(made_class(__eq__=builtin('repr'), __hash__=builtin('int'))))", "assert f() == {3}", False),
    ("returned(b'd1:' + subclass(made_class(__eq__=builtin('repr'), __hash__=function('leak'))) + i(3))", "assert f()['abc'] == 3", False),
    ("returned(x('defaultdict', t(library_class('fractions.Fraction'), b'd0:')))", "assert f()['k'] == 0", True),
    ("returned(x('frozenset', subclass(made_class('list', ('=F', 'builtins.list', 'builtins.object')), l())))", "assert f() == frozenset()", False),
    ("raised(error(__eq__=function('leak')), t(s('m')))", "try:\n    f()\nexcept ValueError as e:\n    assert e == 'wanted'", False),
    ("raised(error(__getattr__=function('leak')), t(s('m')))", "try:\n    f()\nexcept ValueError as e:\n    assert e.code", False),
    ("raised(error(), t(s('m')), with_traceback=function('leak'))", "try:\n    f()\nexcept ValueError as e:\n    assert e.with_traceback('wanted')", False),
    ("raised(error('SkipTest', 'unittest.case', ('Exception',), b'T'), t(s('m')))",
     "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): f()", False),
]


ALL_OF = ["=F"] + ["builtins." + name for name in "int str list dict tuple set float bytes bool frozenset complex".split()]
LIBRARY_OF = "=F decimal.Decimal fractions.Fraction datetime.date collections.Counter collections.OrderedDict uuid.UUID".split()


def of_object(kind, name="b'N'", state="b'd0:'"):
    return f"returned(x('object', t({kind}, s('text'), {name}, {state}, b'T')))"


def of_member(state):
    return of_object("x('class', t(b'N', s('F'), s('F'), t(s('=F'), s('enum.Enum')), b'd0:', t(), b'T', b'T'))", "s('A')", state)


IMPORTS = "import collections, copy, datetime, decimal, fractions, functools, uuid\n"
BY_HAND += [
    (of_object(f"made_class(None, {ALL_OF})"), "assert isinstance(f(), int) and isinstance(f(), str)", False),
    (of_object(f"made_class(None, {LIBRARY_OF})"), IMPORTS + "assert isinstance(f(), decimal.Decimal)", False),
    (of_object("builtin('int')"), "assert type(f()) == int", False),
    ("returned(subclass(made_class('dict', ('=F', 'collections.OrderedDict', 'builtins.dict')), d(b=i(2), a=i(1))))",
     IMPORTS + "assert f() == collections.OrderedDict([('a', 1), ('b', 2)])", False),
    (of_member("d(__deepcopy__=function('leak'))"), IMPORTS + "assert copy.deepcopy([f()])", False),
    (of_member("d(__class__=builtin('int'))"), "assert f().__class__ is int", False),
    (of_member("d(keys=function('leak'))"), "dict(f())", False), (of_member("d(total=i(5))"), "assert f().total == 5", False),
    ("returned(subclass(made_class(), i(0), equals=function('leak')))", "assert f().equals([1, 2])", False),
    ("raised(s('UnicodeDecodeError'), t(s('utf-8'), b'b3:abc', i(-10**12), i(1 - 10**12), s('r')))",
     "try:\n    f()\nexcept ValueError as e:\n    assert str(e)", False),
]


def of_number(texts):
    """A member of an enumeration that is a number as well."""
    return f"returned(subclass(made_class(keys=('=F', 'builtins.int', 'enum.Enum'), refused=('__str__',)), i(3), (s('A'), {texts})))"


BY_HAND += [
    (of_number("t(s('told'), s('so'))"), "assert str(f()) == 'told' and f'{f()}' == 'so' and f() == 3", True),
    (of_number("b'N'"), "assert str(f())", False), (of_number("t(s('told'))"), "assert str(f())", False),
    (of_number("t(i(3), function('leak'))"), "assert f'{f()}'", False),
    (of_member("d(texts=t(s('told'), s('so')))"), "assert str(f()) == 'told' and f'{f()}' == 'so' and not hasattr(str, 'texts')", True),
    (of_member("d(texts=t(s('told'), function('leak')))"), "assert f'{f()}'", False), (of_member("d(texts=function('leak'))"), "assert str(f())", False),
]


def test_answers_by_hand(csbx, python_image):
    rows = [(f"{WRITE}def f():\n    {code}\n", f"from solution import f\n{asserting}\n", want) for code, asserting, want in BY_HAND]
    for record in judge(csbx, python_image, rows).values():
        assert "LEAK" not in record["stdout"]


# A dict with two keys of one hash compares them while it is read: that is where a class was called with what the snippet wanted.
CALLED = """
def called(kind):
    key = subclass(made_class(__eq__=kind, __hash__=builtin("int")))
    other = subclass(made_class("tuple", ("=G", "builtins.tuple", "builtins.object"), __hash__=builtin("int")), t(s("touch"), s("/tmp/called")))
    return b"d2:" + key + i(1) + other + i(2)
"""
LIBRARY = ["subprocess.Popen", "unittest.case.TestCase", "_io.FileIO", "functools.partial", "unittest.main.TestProgram"]


@pytest.mark.parametrize("how", ["called(library_class(%r))", "x('defaultdict', t(library_class(%r), b'd0:'))", "library_class(%r)"])
def test_no_class_of_the_library_is_called(csbx, python_image, how):
    asserting = """
import functools, io, os, subprocess, time, unittest
from solution import f
try:
    f()["x"]
except Exception:
    pass
try:
    f()(["touch", "/tmp/called"])
except Exception:
    pass
time.sleep(0.3)
assert os.path.exists("/tmp/called")
"""
    rows = [(f"{WRITE}{CALLED}def f():\n    returned({how % key})\n", asserting, False) for key in LIBRARY]
    for record in judge(csbx, python_image, rows).values():
        assert cause(record)[0] == "CallFailed", record["check"]


def test_classes_of_values_are_the_librarys(csbx, python_image):
    """They are handed out as themselves, others stand for themselves and are not called."""
    code = """
import collections, datetime, decimal, fractions, subprocess
def f(): return [int, type, decimal.Decimal, collections.OrderedDict, datetime.date, fractions.Fraction, ValueError]
def g(): return subprocess.Popen
"""
    asserting = "import collections, datetime, decimal, fractions, subprocess\nfrom solution import f, g\n"
    judge(csbx, python_image, [
        (code, f"{asserting}assert f() == [int, type, decimal.Decimal, collections.OrderedDict, datetime.date, fractions.Fraction, ValueError]", True),
        (code, f"{asserting}assert g() == subprocess.Popen and isinstance(g(), type)", True),
        (code, f"{asserting}assert g() == subprocess.run", False), (code, f"{asserting}g()(['true'])", False)])
