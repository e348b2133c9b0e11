# SPDX-License-Identifier: Apache-2.0
"""The ways of judging that the adapters replace, as short as they can be, with their verdicts on the same code.

They run the few lines of code that the tests of the differences have, and no other.
"""
import json
import re
import subprocess
import sys

EXEC = """
import builtins, contextlib, io, json, os, resource, signal, sys
code, memory, seconds = json.loads(sys.argv[1])
out = io.StringIO()
result = {"success": False, "stdout": "", "stderr": "", "error": None, "timeout": False}

class Blocked(io.StringIO):
    def read(self, *given): raise OSError
    readline = readlines = read

class TimedOut(Exception): pass

def ring(*given): raise TimedOut

resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
signal.signal(signal.SIGALRM, ring)
builtins.exit = os.getcwd = None
said, sys.stdin, err = sys.stdout, Blocked(), io.StringIO()
signal.alarm(seconds)
try:
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        exec(code, {})
    result.update(success=True, stdout=out.getvalue(), stderr=err.getvalue())
except TimedOut:
    result["timeout"] = True
except BaseException as e:
    result["error"] = type(e).__name__
print(json.dumps(result), file=said)
"""

CASES = """
{setup}
{code}
import json
if "{function}" not in dir():
    raise SystemExit(1)
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


def exec_in_a_child(code, memory=1 << 30, seconds=30):
    said = python(EXEC, json.dumps([code, memory, seconds])).stdout
    return json.loads(said) if said else {"success": False, "stdout": "", "stderr": "", "timeout": True, "error": "no result"}


def cases_in_a_script(code, function, *cases, setup=""):
    """cases: (args, expected, type, exception). -> the verdicts, or None where there were none"""
    written = "".join(f"({list(a)!r}, {e!r}, {t!r}, {x!r})," for a, e, t, x in cases)
    said = python(CASES.format(setup=setup, code=code, function=function, cases=written)).stdout
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


def lists_of_pytest(printed):
    """The same as three lists; and whether no test is in the last two, which was `all_passed`."""
    passed, failed, errors = (re.findall(rf"^(.+?::[\w\[\]-]+)\s+{word}", printed, re.M) for word in ("PASSED", "FAILED", "ERROR"))
    return passed, failed, errors, not failed and not errors


def apply_a_file(patch, where):
    """-> whether git took the patch, which lies beside the files."""
    file = where / "_patch.diff"
    file.write_text(patch, encoding="utf-8")
    return subprocess.run(["git", "apply", "--whitespace=fix", str(file)], cwd=where, capture_output=True, timeout=60, check=False).returncode == 0
