# SPDX-License-Identifier: Apache-2.0
"""csbx eval --check: what the check has of its own, and what it has of the snippet. Nothing that is looked up by a name, copied, evaluated or
looked for by a runner of tests comes from there unasked, and the snippet does not end the check."""
import pytest
from test_eval_told import EVIL, cause, judge
from test_eval_told_by_hand import WRITE

HINTS = ("typing.get_type_hints(P)", "typing.get_type_hints(type(g()))", "inspect.get_annotations(P, eval_str=True)", "typing.get_type_hints(f, globals())")
LOOP = "[exit.__class__[code] for exit.__class__.__class_getitem__ in [exec]]"
EVALUATED = [f"class P(dict):\n    code = {EVIL!r}\n    x: {text!r}\ndef f(x: {text!r}): return 0\n" for text in (LOOP, "code", "P.code")]
EVALUATED += [f"class P(dict):\n    x: {name!r}\ndef f(x): return 0\n{name} = {EVIL!r}\n" for name in ("int", "List", "code")]


@pytest.mark.parametrize("hints", HINTS)
def test_no_text_of_an_annotation(csbx, python_image, hints):
    """It may be a loop that assigns, or name a text, which is evaluated then."""
    begin = "import inspect, typing\nfrom typing import List\nfrom solution import *\nf(1)\n"
    rows = [(code + "def g(): return P()\n", f"{begin}try:\n    {hints}\nexcept (NameError, ValueError):\n    pass\n", None) for code in EVALUATED]
    for record in judge(csbx, python_image, rows).values():
        assert "INSIDE" not in record["check"]["result"]["stdout"], record


def test_no_attribute_of_an_object_is_evaluated(csbx, python_image):
    code = f"class P(dict): pass\ndef f(x):\n    p = P()\n    p.__annotations__ = {{'x': {EVIL!r}}}\n    return p\n"
    by_hand = f"{WRITE}def f(x): returned(subclass(made_class(), i(0), __annotations__=d(x=s({EVIL!r}))))\n"
    asserting = "import typing\nfrom solution import f\ntyping.get_type_hints(f(1))\n"
    for record in judge(csbx, python_image, [(code, asserting, False), (by_hand, asserting, False)]).values():
        assert cause(record)[0] == "CallFailed" and "INSIDE" not in record["check"]["result"]["stdout"], record
