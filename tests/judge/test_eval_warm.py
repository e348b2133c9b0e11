# SPDX-License-Identifier: Apache-2.0
"""The snippets of a longer batch share one start of the interpreter (csbx-thaw), and nothing else."""
import json
import platform
import re

import pytest

import snippets
from resultschema import checked

FILL = [{"id": f"fill {n}", "code": "pass"} for n in range(3)]  # as many as start their own
IS_WARM = "print('csbx-warm' in open('/proc/self/maps').read())\n"

# Prints the facts that a program can tell of its process. One interpreter that was started runs it, and one that was
# copied.
OF_A_PROCESS = r"""
import ctypes, json, os, resource, signal, subprocess, sys, threading, time
seen = {"argv": sys.argv, "orig_argv": sys.orig_argv, "flags": str(sys.flags), "path": sys.path, "cwd": os.getcwd(),
        "environ": dict(os.environ), "pid": os.getpid(), "uid": os.getuid(), "fds": sorted(os.listdir("/proc/self/fd")),
        "comm": open("/proc/self/comm").read(), "stdin": sys.stdin.read(), "encoding": sys.stdout.encoding,
        "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), "tasks": os.listdir("/proc/self/task"),
        "children": open("/proc/self/task/%d/children" % os.getpid()).read(), "main": list(globals())[:8],
        "limits": [resource.getrlimit(n) for n in range(10)]}
seen["hostname"], seen["getenv"] = os.uname().nodename, subprocess.getoutput("echo $HOSTNAME")
seen["handlers"] = [str(signal.getsignal(n)) for n in range(1, 32)]
seen["ignored"] = [line for line in open("/proc/self/status") if line.startswith("Sig")]
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    seen["interrupted"] = True
names = []
threads = [threading.Thread(target=names.append, args=(n,)) for n in range(8)]
for t in threads: t.start()
for t in threads: t.join()
seen["threads"] = sorted(names)
pid = os.fork()
if not pid:
    os._exit(7)
seen["child"] = os.waitpid(pid, 0)[1]
seen["echo"] = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True).stdout
def deep(n): return n and deep(n - 1)
try:
    deep(10 ** 6)
except RecursionError:
    seen["deep"] = True
seen["small"] = sum(len(str(n)) for n in [str(n) for n in range(300000)])  # the heap grows
seen["large"] = len(bytearray(60 << 20))
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
blocks = [libc.malloc(ctypes.c_size_t(n)) for n in range(1, 100000, 77)]
seen["blocks"] = all(blocks) and len(set(blocks)) == len(blocks)
for n, b in zip(range(1, 100000, 77), blocks):
    ctypes.memset(b, 1, n)
    libc.free(ctypes.c_void_p(b))
before = time.perf_counter()
time.sleep(0.01)
seen["clock"] = 0.01 <= time.perf_counter() - before < 5 and abs(time.time() - os.stat("/proc/self").st_mtime) < 60
sys.stderr.write("to stderr\n")
print(json.dumps(seen))
"""


# Ways to end. A warm interpreter does not take itself down; the parts of it that a program can see happen all the same.
FINALIZED = """
class A:
    def __init__(self, name): self.name, self.me = name, self
    def __del__(self): print("gone", self.name, flush=FLUSH)
"""
ENDS = {
    "nothing": "",
    "global": FINALIZED + "a = A('global'); b = A('second'); del b.me\n",
    "not flushed": FINALIZED.replace("FLUSH", "False") + "a = A('global')\nprint('text', end='')\n",
    "in modules": FINALIZED + "import builtins, os, sys, json\nbuiltins.x = A('in builtins'); json.x = A('in json'); os.x = A('in os')\n"
                              "for m in builtins, json, os: del m.x.me\nsys.x = A('in sys'); del sys.x.me\n",
    "in place of others": FINALIZED + "import os\nos.getcwd = A('os.getcwd'); del os.getcwd.me\n",
    "garbage imports": "class A:\n    def __init__(self): self.me = self\n    def __del__(self):\n"
                       "        import os, io\n        print(os.getcwd(), io is I, os.path.join('a', 'b'))\nimport io as I\nA()\n",
    "garbage collection": "import gc\ngc.callbacks.append(lambda phase, info: print(phase))\n",
    "no garbage collection": FINALIZED + "import gc\ngc.disable()\nA('garbage'); a = A('global')\n",
    "large": FINALIZED + "a = [[n] for n in range(200000)]; A('garbage'); a.append(A('global'))\n",
    "garbage": FINALIZED + "a = A('garbage'); del a\ndef f():\n    a = A('closure')\n    def g(): return g, a\n    return g\nf()\n",
    "generator": "def g():\n    try: yield\n    finally: print('finally')\nx = g(); next(x)\n",
    "exit functions": "import atexit, weakref\nclass A: pass\na = A()\natexit.register(print, 'first')\natexit.register(print, 'second')\n"
                      "weakref.finalize(a, print, 'finalize')\n",
    "exit function fails": "import atexit\natexit.register(lambda: 1 / 0)\nprint('x')\n",
    "exit functions are removed": "import atexit\natexit._clear()\nprint('x')\n",
    "exit functions are run": "import atexit\natexit.register(print, 'x')\natexit._run_exitfuncs()\nprint('y')\n",
    "thread": "import threading, time\nt = threading.Thread(target=lambda: (time.sleep(0.2), print('thread')))\nt.start()\n",
    "daemon": "import threading, time\nt = threading.Thread(target=time.sleep, args=(60,), daemon=True)\nt.start()\nprint('x')\n",
    "without a dictionary": "class A:\n    __slots__ = ()\n    def __del__(self): print('gone')\na = A()\n",
    "inherits": FINALIZED + "class B(A): pass\na = B('global'); del a.me\n",
    "class": "class M(type):\n    def __del__(self): print('class gone')\nclass A(metaclass=M): pass\n",
    "gets a finalizer": "class A: pass\na = A()\nA.__del__ = lambda self: print('gone')\n",
    "weak reference": "import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, lambda r: print('gone'))\n",
    "weak proxy": "import weakref\nclass A: pass\na = A()\nr = weakref.proxy(a, lambda r: print('gone'))\n",
    "asynchronous generator": "async def g():\n    try: yield\n    finally: print('finally')\nx = g()\ntry: x.asend(None).send(None)\n"
                              "except StopIteration: pass\n",
    "warnings": "import os, warnings\nwarnings.simplefilter('always')\nx = os.scandir('/')\nnext(x)\n",
    "open file": "import io\nclass F(io.BytesIO):\n    def close(self): print('closed'); super().close()\nf = F()\n",
    "keeps the modules": FINALIZED + "import json, re, random, math, collections\njson.x = A('in json'); del json.x.me\n",
    "coroutine": "async def f(): pass\nf()\nc = f()\n",
    "exit": "import sys\nprint('x', end='')\nsys.exit(3)\n",
    "exit None": "import sys\nsys.exit()\n",
    "exit True": "import sys\nsys.exit(True)\n",
    "exit 256": "import sys\nsys.exit(256 + 7)\n",
    "exit -1": "import sys\nsys.exit(-1)\n",
    "exit text": "import sys\nprint('x')\nsys.exit('a text')\n",
    "exit of its own": "class E(SystemExit): pass\nraise E(5)\n",
    "exit function exits": "import atexit, sys\natexit.register(sys.exit, 9)\n",
    "exception": FINALIZED + "a = A('global')\n1 / 0\n",
    "interrupt": "raise KeyboardInterrupt\n",
    "closed": "import os\nprint('x', flush=True)\nprint('y')\nos.close(1)\n",
    "closed stream": "import sys\nprint('x')\nsys.stdout.close()\n",
    "other stream": "import sys, io\nclass S(io.StringIO):\n    def flush(self): sys.__stdout__.write('flushed')\nsys.stdout = S()\nprint('x')\n",
    "no stream": "import sys\nprint('x')\nsys.stdout = None\n",
    "stdio": "import ctypes\nctypes.CDLL(None).printf(b'by stdio')\n",
    "fork": "import os, sys\npid = os.fork()\nif not pid: sys.exit(4)\nprint(os.waitpid(pid, 0)[1])\n",
    "file": "f = open('f', 'w')\nf.write('x')\nimport os, subprocess\np = subprocess.Popen(['cat'], stdin=subprocess.PIPE, text=True)\n"
            "p.stdin.write('to a child')\np.stdin.close()\nprint(p.wait())\n",
}


def batch(csbx, image, *objects, options=()):
    (csbx.work / "in").write_text("".join(json.dumps(x) + "\n" for x in [*FILL, *objects]), encoding="utf-8")
    p = csbx.run("eval", "--image", image, "-j", "2", *options, "--batch", csbx.work / "in", timeout=300)
    assert p.returncode == 0 and p.stderr == "", p.stderr
    return {r["id"]: r for r in map(checked, map(json.loads, p.stdout.splitlines()))}


@pytest.fixture
def warm(csbx, python_image):
    """batch() where an interpreter can be kept warm."""
    if platform.machine() != "x86_64":
        pytest.skip("csbx-thaw is for x86_64")
    if batch(csbx, python_image, {"id": "?", "code": IS_WARM})["?"]["stdout"] != "True\n":
        pytest.skip("this kernel lets nobody restore a process (CONFIG_CHECKPOINT_RESTORE)")
    return lambda *objects, **kwargs: batch(csbx, python_image, *objects, **kwargs)


def test_a_program_cannot_tell(csbx, python_image, warm):
    (csbx.work / "in.py").write_text(OF_A_PROCESS, encoding="utf-8")
    (csbx.work / "words").write_text("some\nwords", encoding="utf-8")
    options = ("--timeout", "60")
    record = warm({"id": 1, "code": OF_A_PROCESS, "args": ["a", "", "é"], "stdin": "some\nwords"}, options=options)[1]
    plain = json.loads(csbx.run("eval", "--image", python_image, "--json", *options, "--stdin", csbx.work / "words",
                                csbx.work / "in.py", "a", "", "é", timeout=120).stdout)
    assert (record["completed"], record["stderr"]) == (True, "to stderr\n"), record
    seen, expected = json.loads(record["stdout"]), json.loads(plain["stdout"])
    assert seen["environ"].pop("HOSTNAME") == seen.pop("getenv") == seen.pop("hostname")
    del expected["environ"]["HOSTNAME"], expected["hostname"], expected["getenv"]
    assert seen == expected
    assert record["argv"] == plain["argv"]
    assert seen["clock"] and seen["blocks"]


def test_the_end_is_the_same(warm):
    lines = [(name, code.replace("FLUSH", "True")) for name, code in ENDS.items()]
    records = warm(*({"id": name, "code": code} for name, code in lines),
                   *({"id": "started" + name, "code": code, "env": {"X": "1"}} for name, code in lines),
                   options=("--timeout", "60"))
    members = "status", "exit_code", "completed", "stdout", "stderr", "error_summary"
    wrong = {}
    for name, _ in lines:
        both = [re.sub("0x[0-9a-f]+", "0x", repr([records[i].get(m) for m in members])) for i in (name, "started" + name)]
        if both[0] != both[1]:
            wrong[name] = both
    assert not wrong
    assert records["garbage"]["stdout"].count("gone") == 2 and records["exit"]["exit_code"] == 3


def test_nothing_is_left_to_the_next(warm):
    spoil = "import builtins, sys, gc\nbuiltins.len = None\nsys.modules['posix'].getpid = None\ngc.unfreeze(); common = gc.get_objects()\n" \
            "for x in common:\n    if type(x) is dict and x is not globals():\n        try: x['spoilt'] = 1\n" \
            "        except Exception: pass\nopen('/work/f', 'w').write('x')\nprint('done', flush=True)\nimport os; os._exit(0)\n"
    look = "import gc, os; gc.unfreeze()\nprint(len('abc'), os.getpid(), os.listdir('.'), any(type(x) is dict and 'spoilt' in x for x in gc.get_objects()" \
           " if x is not globals()))\n"
    records = warm({"id": 1, "code": spoil}, {"id": 2, "code": look}, {"id": 3, "code": IS_WARM})
    assert records[1]["stdout"] == "done\n" and not records[1]["completed"]
    assert records[2]["stdout"] == "3 2 [] False\n", records[2]
    assert records[3]["stdout"] == "True\n"


def test_cases_and_checks(warm):
    code = "import threading\ndef f(x): return {x: [x, (x,)]}\n"
    records = warm({"id": 1, "code": code, "function": "f", "cases": [{"args": [1], "expected": {"$dict": [[1, [1, {"$tuple": [1]}]]]}}]},
                   {"id": 2, "code": code, "function": "f", "check": "def check(f):\n    assert f(2) == {2: [2, (2,)]}\n"},
                   {"id": 3, "code": "print(int(input()) * 2)", "cases": [{"stdin": "4", "expected": "8"}]},
                   {"id": 4, "code": "import os; print(os.environ['X'])", "env": {"X": "y"}})
    assert records[1]["all_passed"] and records[3]["all_passed"] and records[2]["check"]["passed"], records
    assert records[4]["stdout"] == "y\n"


OF_A_START = """
import os, signal, sys, threading
seen = [threading.active_count(), sorted(os.listdir("/proc/self/fd")), os.environ["PATH"], os.environ.get("NEW"), os.getcwd(), oct(os.umask(0)),
        str(signal.getsignal(12)), [x for x in open("/proc/self/status") if x.startswith(("Sig", "Threads"))], signal.getitimer(0)[0] > 0]
sys.stdout.write(repr(seen) + "\\n" + str("csbx-warm" in open("/proc/self/maps").read()))
"""


@pytest.mark.parametrize("text, is_copied", [
    ("import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()", False),
    ("import os\nfd = os.open('/etc/passwd', os.O_RDONLY)", False),
    ("import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])", False),
    ("import signal\nsignal.setitimer(signal.ITIMER_REAL, 1000)", False),
    ("import faulthandler\nfaulthandler.enable()", False),
    ("import os, time\nos.fork() or time.sleep(1000)", False),
    ("import random", False), ("from _random import Random\nkept = Random()", False), ("import ssl", False),
    ("import os, signal\nos.environ.update(PATH='/x:' + os.environ['PATH'], NEW='1')\nos.chdir('/tmp')\nos.umask(0o27)\n"
     "signal.signal(12, signal.SIG_IGN)", True)], ids=["thread", "descriptor", "mask", "timer", "handler", "child", "random", "generator", "ssl", "more"])
def test_an_interpreter_that_does_more_at_its_start(csbx, python_image, warm, text, is_copied):
    """State that a copy would lose keeps csbx from making one; a copy has all other state."""
    assert warm
    site = csbx.work / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(text, encoding="utf-8")
    records = batch(csbx, python_image, {"id": "late", "code": OF_A_START}, {"id": "cold", "code": OF_A_START, "env": {"X": ""}},
                    options=("-e", "PYTHONPATH=/site", "--mount", f"{site}:/site:ro", "--timeout", "60"))
    late, cold = (records[n]["stdout"].splitlines() for n in ("late", "cold"))
    assert late[0] == cold[0] and (late[1], cold[1]) == (str(is_copied), "False"), records["late"]["stderr"]


def test_a_library_that_was_there_from_the_start_is_left_in_order(csbx, python_image, warm):
    """C code that writes at exit(3) is run for a copy too, when the interpreter had it before any program."""
    assert warm
    site = csbx.work / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import ctypes\n", encoding="utf-8")
    code = OF_A_START + "\nimport ctypes\nctypes.CDLL(None).printf(b'by stdio')\n"
    records = batch(csbx, python_image, {"id": "late", "code": code}, {"id": "cold", "code": code, "env": {"X": ""}},
                    options=("-e", "PYTHONPATH=/site", "--mount", f"{site}:/site:ro", "--timeout", "60"))
    late, cold = (records[n]["stdout"].splitlines() for n in ("late", "cold"))
    assert (late[1], cold[1]) == ("Trueby stdio", "Falseby stdio"), records["late"]  # the first is that of OF_A_START


def test_a_program_that_is_no_interpreter(csbx, python_image):
    """There is no interpreter to copy: each line starts the program that the image has, and the trace says so."""
    (csbx.work / "python3").write_text("#!/bin/sh\necho no python\n", encoding="utf-8")
    (csbx.work / "python3").chmod(0o755)
    (csbx.work / "in").write_text("".join(json.dumps({"id": n, "code": "pass"}) + "\n" for n in range(5)), encoding="utf-8")
    p = csbx.run("eval", "--image", python_image, "--mount", f"{csbx.work / 'python3'}:/usr/bin/python3:ro", "--batch", csbx.work / "in",
                 env={"CSBX_DEBUG": "1"}, timeout=120)
    assert [json.loads(x)["stdout"] for x in p.stdout.splitlines()] == ["no python\n"] * 5
    assert platform.machine() != "x86_64" or "no warm interpreter: each run starts its own" in p.stderr


def options_of(snippet):
    """Members of a line for a snippet's options, None where there are others."""
    pairs = dict(zip(snippet.options[::2], snippet.options[1::2]))
    return {k[2:]: v for k, v in pairs.items()} if set(pairs) <= {"--timeout", "--memory"} else None


def test_every_snippet_has_its_verdict(warm):
    every = [s for s in snippets.snippets("eval") if s.path.suffix == ".py" and options_of(s) is not None]
    lines = [{"id": s.name, "code": s.path.read_text(encoding="utf-8"),
              **{k: int(v) if k == "timeout" else v for k, v in options_of(s).items()}} for s in every]
    records = warm(*lines, options=snippets.DEFAULTS)
    wrong = {}
    for s in every:
        for key in s.expect:
            s.expect[key] = [e for e in s.expect[key] if e[0] != "exit"]
        wrong[s.name] = s.wrong("eval", records[s.name])
    assert len(every) > 45 and not {k: v for k, v in wrong.items() if v}
