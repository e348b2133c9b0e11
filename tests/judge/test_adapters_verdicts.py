# SPDX-License-Identifier: Apache-2.0
"""Verdicts of the adapters that are what they were, and what is shown of the answers."""
import pytest

import originals
from rows import Both

NUMBERS = "import collections, decimal, typing\nfrom decimal import Decimal as D\nfrom fractions import Fraction as F\n"
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
        ("long list", "def f(x): return [7] * 90000", ((1,), [7] * 90000, "", "")),
        *[(f"in {x}", f"{NUMBERS}def f(x): return {x}", ((1,), e, "", "")) for x, e in (
            ("[D('1.5')]", [1.5]), ("[D('1.5')]", [1.25]), ("{'a': [F(1, 2)]}", {"a": [0.5]}), ("(D(2), 'x')", (2, "x")), ("{D(1), 'a'}", {1, "a"}),
            ("{D(1)}", {2}), ("{F(2): 1}", {2: 1}), ("[{1: 2}.keys()]", [{1}]), ("[1 + 2j, range(1 << 70)]", [1 + 2j, range(1 << 70)]),
            ("[D(1)]", (1,)), ("...", ...), ("[NotImplemented]", [NotImplemented]), ("slice(1, None)", slice(1, None)), ("slice(1)", slice(2)))],
        *[(f"{x} is a {t}", f"{NUMBERS}def f(x): return {x}", ((1,), None, t, "")) for x, t in (
            ("1", "(int, str)"), ("1.5", "(int, str)"), ("'a'", "int | str"), ("1.5", "int|str"), ("True", "int | str"), ("True", "str"),
            ("None", "type(None)"), ("None", "int | None"), ("1", "type(None)"), ("D(1)", "decimal.Decimal"), ("F(1)", "decimal.Decimal"),
            ("D(1)", "(str, (int, decimal.Decimal))"), ("collections.Counter()", "collections.Counter"), ("{}", "collections.Counter"),
            ("collections.Counter()", "(list, dict)"), ("None", "typing.Optional[int]"), ("'a'", "typing.Union[int, str]"), ("1.5", "typing.Union[int, str]"),
            ("1 / 0", "(int, object)"), ("1", "(str, object)"), ("[D(1)]", "list"))],
        ("value and type", f"{NUMBERS}def f(x): return [D(1)]", ((1,), [1], "list", "")), ("value, not type", f"{NUMBERS}def f(x): return F(3)", ((1,), 3, "int", "")),
        ("True for 1, one of two", "def f(x): return True", ((1,), 1, "(str, int)", "")), ("True for 2, one of two", "def f(x): return True", ((1,), 2, "(str, int)", "")),
        ("exception beside a value", "def f(x): raise ValueError", ((1,), 3, "int", "ValueError")), ("value beside an exception", "def f(x): return 3", ((1,), 3, "int", "ValueError"))]


@pytest.mark.parametrize("name, code, case", SAME, ids=[s[0] for s in SAME])
def test_verdicts_are_what_they_were(client, python_image, name, code, case):
    both = Both(client, python_image)
    assert both.passed(code, case) == originals.cases_in_a_script(code, "f", case), name


def test_objects_that_the_setup_names(client, python_image):
    """What is expected may be of any class: the answer is of that class and reads the same."""
    import datetime
    import pathlib
    both = Both(client, python_image)
    code = "import datetime, pathlib\ndef f(n): return [datetime.date(2020, 2, n), {'at': pathlib.PosixPath('/a')}][n - 1]"
    cases = ((1,), datetime.date(2020, 2, 1), "", ""), ((1,), datetime.date(2020, 2, 2), "", ""), ((2,), {"at": pathlib.PosixPath("/a")}, "", "")
    assert originals.cases_in_a_script(code, "f", *cases, setup="import datetime\nfrom pathlib import PosixPath") == [True, False, True]
    assert both.passed(code, *cases) == [True, False, True]


def test_both_words_for_what_is_expected(client, python_image):
    both = Both(client, python_image)
    code = "def f(x): return x"
    given = [{"input_args": (1,), "expected_output": None}, {"args": (1,), "expected": None}, {"args": (None,), "expected": None}]
    assert both.passed(code, *given) == [True, False, True]


def test_outputs_are_shown_as_python_writes_them(client, python_image):
    from csbx.adapters import TestCase
    both = Both(client, python_image)
    code = ("import decimal\ndef f(x):\n    if x == 0: raise ValueError('no')\n    return {1: decimal.Decimal('1.5'), 2: None, 3: {'$other': 'Decimal', "
            "'repr': \"Decimal('3')\"}, 4: [{decimal.Decimal(2)}, {1: ...}]}[x]")
    result = both.sandbox(max_output=1000).run("print('x' * 5000)\n" + code, "f", [
        TestCase("raised", (0,), expected_exception="ValueError"), TestCase("failed", (0,), expected_output=1),
        TestCase("decimal", (1,), expected_output=1), TestCase("none", (2,)), TestCase("forged", (3,), expected_output=3),
        TestCase("within", (4,), expected_output=1)])
    assert [(t["output"], t["passed"]) for t in result.test_results] == [
        ("", True), ("", False), ("Decimal('1.5')", False), ("None", True), ("{'$other': 'Decimal', 'repr': \"Decimal('3')\"}", False),
        ("[{Decimal('2')}, {1: Ellipsis}]", False)]
    assert result.truncated and not both.sandbox().run("print('x' * 5000)").truncated


def test_words_that_are_no_values(client):
    """Words that a class of the judged code has as its name and its repr."""
    from csbx.adapters import answers
    for kind, text in (("Decimal", "Decimal('x')"), ("Decimal", "Decimal('sNaN')"), ("Fraction", "Fraction(1, 0)"), ("complex", "()"), ("range", "range(1, 2, 0)"),
                       ("dict_keys", "dict_keys([[]])"), ("dict_keys", "dict_keys([" + "(" * 150 + "])"), ("dict_keys", "dict_keys([f()])"),
                       ("range", "range(" + "9" * 300), ("Other", "1"), ("Decimal", "Decimal('1')\n"), ("range", "range(1, 2); 3")):
        assert not answers.equals({"$other": kind, "repr": text}, 1), (kind, text)
    class Other:
        def __repr__(self):
            return "Other(%s)" % ("x" * self.n)
    said = Other()
    for said.n, wanted in ((3, True), (192, True), (193, False)):  # beyond 200 it may be cut
        for raw in (repr(said), [repr(said)]):
            told = {"$other": "Other", "repr": repr(said)}
            given, value = ([told], [said]) if isinstance(raw, list) else (told, said)
            assert answers.equals(given, value) == wanted and not answers.equals({**told, "$other": "Oth"}, said)
