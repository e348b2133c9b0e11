# SPDX-License-Identifier: Apache-2.0
"""The ways of judging that the adapters replace, as short as they can be, with their verdicts on the same code.

They run the few lines of code that the tests of the differences have, and no other.
"""
import json
import re
import subprocess
import sys

EXEC = """
import contextlib, io, json, resource, sys
code, memory = json.loads(sys.argv[1])
out = io.StringIO()
result = {"success": False, "error": None}
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
try:
    with contextlib.redirect_stdout(out):
        exec(code, {})
    result["success"] = True
except BaseException as e:
    result["error"] = type(e).__name__
print(json.dumps({**result, "stdout": out.getvalue()}))
"""

CASES = """
{code}
import json
verdicts = []
for args, expected, kind, exception in [{cases}]:
    try:
        got = {function}(*args)
        verdicts.append(not exception and (not kind or isinstance(got, eval(kind))) and (expected is None or got == expected))
    except Exception as e:
        verdicts.append(type(e).__name__ == exception)
print("__MARK__" + json.dumps(verdicts))
"""


def python(code, *words):
    return subprocess.run([sys.executable, "-", *words], input=code, capture_output=True, text=True, timeout=60, check=False)


def exec_in_a_child(code, memory=1 << 30):
    return json.loads(python(EXEC, json.dumps([code, memory])).stdout)


def cases_in_a_script(code, function, *cases):
    """cases: (args, expected, type, exception). -> the verdicts, or None where there were none"""
    written = "".join(f"({list(a)!r}, {e!r}, {t!r}, {x!r})," for a, e, t, x in cases)
    said = python(CASES.format(code=code, function=function, cases=written)).stdout
    found = re.search(r"__MARK__(.*)", said)
    return json.loads(found[1]) if found else None


def script_without_cases(code):
    """Success is exit code 0 and nothing on stderr."""
    p = python(code)
    return p.returncode == 0 and not p.stderr


def refused_words(code, forbidden=None, allow_imports=True):
    """A search of the text; the last argument was taken and never read."""
    del allow_imports
    modules = forbidden or ["subprocess", "socket"]
    return [m for m in modules if f"import {m}" in code] + [w for w in ("open(", "eval(") if w in code]


def words_of_pytest(printed):
    """The outcomes that a regular expression finds in the output of `pytest -v`."""
    return {m[1]: m[2] for m in re.finditer(r"^(.+?::[\w\[\]-]+)\s+(PASSED|FAILED|ERROR)", printed, re.M)}
