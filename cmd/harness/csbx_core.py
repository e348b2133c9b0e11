# SPDX-License-Identifier: Apache-2.0
"""What speaks to the host, and what looks for tampering inside the runner's own process.

Tested code shares the interpreter with this. What could be used to forge a record (the channel, its
secret, what is known of files and functions) is therefore in local variables of one suspended
generator and nowhere else: Python gives them away only by ways that raise an audit event
(sys.addaudithook, Python 3.8), and the event is told to the host before the way is open. A record
is sent for code of the harness only, in the main thread, with no code on the stack that the patches
or the run itself brought. None of this is a wall: native code can undo it. docs/judging.md says so.

Runs inside the container, standard library only, Python 3.6 and later.
"""
import builtins
import fcntl
import json
import os
import resource
import sys
import threading
import time
import types

from csbx_state import functions_in, make_origins, make_watch

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

FD_CHANNEL = 3
FD_INPUT = 4
FD_HIGH = 200  # out of the way of code that counts or closes low descriptors
TEXT_MAX = 16384
PACKET_MAX = 65536
FOUND_MAX = 64

CRITICAL = (("_pytest.reports", "TestReport.from_item_and_call"), ("_pytest.reports", "TestReport.__init__"),
            ("_pytest.runner", "call_runtest_hook"), ("_pytest.runner", "call_and_report"),
            ("_pytest.runner", "runtestprotocol"), ("_pytest.runner", "CallInfo.from_call"),
            ("_pytest.runner", "pytest_runtest_makereport"), ("_pytest.runner", "pytest_runtest_call"),
            ("_pytest.runner", "check_interactive_exception"),
            ("_pytest.python", "pytest_pyfunc_call"), ("_pytest.python", "Function.runtest"),
            ("_pytest.skipping", "pytest_runtest_makereport"), ("_pytest.skipping", "evaluate_xfail_marks"),
            ("_pytest.skipping", "pytest_runtest_call"), ("_pytest.unittest", "TestCaseFunction.runtest"),
            ("_pytest.unittest", "TestCaseFunction.addFailure"), ("_pytest.unittest", "TestCaseFunction.addError"),
            ("unittest.case", "TestCase.run"), ("unittest.case", "TestCase.fail"),
            ("unittest.case", "TestCase.assertEqual"), ("unittest.case", "TestCase.assertTrue"),
            ("unittest.case", "TestCase._callTestMethod"),
            ("pluggy._hooks", "_HookCaller.__call__"), ("pluggy._hooks", "HookCaller.__call__"),
            ("pluggy._manager", "PluginManager._hookexec"), ("pluggy._callers", "_multicall"))
PEEPING = {"sys._current_frames": "frame_search", "sys._current_exceptions": "frame_search",
           "gc.get_objects": "heap_search", "gc.get_referrers": "heap_search", "gc.get_referents": "heap_search",
           "ctypes.addressof": "memory", "ctypes.cdata": "memory", "ctypes.string_at": "memory",
           "ctypes.cdata/buffer": "memory", "ctypes.dlopen": "memory", "ctypes.dlsym": "memory",
           "ctypes.dlsym/handle": "memory", "ctypes.call_function": "memory",
           "sys.settrace": "trace", "sys.setprofile": "trace", "sys.monitoring.register_callback": "trace",
           "cpython.PyInterpreterState_New": "interpreter"}
DIRECT = ("heap_search", "frame_search", "trace", "code_change")  # a library that does these for others is known by name
WRITTEN = ("__code__", "__defaults__", "__kwdefaults__", "__bases__", "__class__")  # what makes it something else
FRAMES = ("gi_frame", "cr_frame", "ag_frame", "tb_frame", "f_back")


def read_input():
    """What the host wants, from a descriptor that is gone afterwards."""
    size = os.fstat(FD_INPUT).st_size
    data, at = b"", 0
    while at < size:
        part = os.pread(FD_INPUT, size - at, at)
        if not part:
            break
        data, at = data + part, at + len(part)
    os.close(FD_INPUT)
    return json.loads(data.decode("utf-8"))


def standard_names():
    """Top-level modules of the standard library and of pytest."""
    if hasattr(sys, "stdlib_module_names"):
        found = set(sys.stdlib_module_names)
    else:
        here = os.path.dirname(os.__file__)
        places = [here, os.path.join(here, "lib-dynload")]
        found = set(sys.builtin_module_names)
        found |= {n.split(".")[0] for p in places if os.path.isdir(p) for n in os.listdir(p)}
    return found | {"pytest", "_pytest", "pluggy", "xdist"}


def functions_of(holder, name, seen):
    """(dotted name, function) of a module's or class's own functions, classes too."""
    for key, value in list(vars(holder).items()):
        inner = value
        if isinstance(value, (staticmethod, classmethod)):
            inner = value.__func__
        elif isinstance(value, property):
            inner = value.fget
        if isinstance(inner, types.FunctionType):
            yield "%s.%s" % (name, key), inner
        elif isinstance(value, type) and value.__module__ == getattr(holder, "__name__", None) and id(value) not in seen:
            seen.add(id(value))
            for pair in functions_of(value, "%s.%s" % (name, key), seen):
                yield pair


def look_up(module, dotted):
    value = sys.modules.get(module)
    for part in dotted.split("."):
        value = getattr(value, part, None)
    return getattr(value, "__func__", value)


def codes_of(code):
    """A code object and those inside it."""
    todo, found = [code], []
    while todo:
        one = todo.pop()
        found.append(one)
        todo += [c for c in one.co_consts if isinstance(c, types.CodeType)]
    return found


def _core(secret, fd):
    """The generator. Requests are tuples: ("send", record), ("begin", ...), ("found", kind, detail), ..."""
    getframe, write, getpid, stat, dumps = sys._getframe, os.write, os.getpid, os.stat, json.JSONEncoder().encode
    thread, now_s, realpath = threading.get_ident, time.time, os.path.realpath
    relpath, dirname, modules, error, known_builtins = os.path.relpath, os.path.dirname, sys.modules, OSError, None
    prefix, owner, main = secret.encode("ascii"), getpid(), threading.get_ident()
    own = set()
    repo, changed, begin_s, homes, packages = None, frozenset(), None, (), ()
    told, vouched, before, critical = set(), {}, {}, []
    inodes, check_state, settle_state, guard, library = frozenset(), None, None, None, {}
    parts_of, names_of_standard = functions_in, standard_names
    _len, _str, _id, _isinstance, _getattr, _hasattr, _type = len, str, id, isinstance, getattr, hasattr, type
    _vars, _list, _dict, _bool, _int, _tuple = vars, list, dict, bool, int, tuple
    _subclass, members, function_type = issubclass, type.__dict__["__dict__"].__get__, types.FunctionType
    module_type = types.ModuleType
    look, all_functions, builtin_names = look_up, functions_of, builtins

    def clean(value):
        if value is None or _isinstance(value, (_bool, _int)):
            return value
        if _isinstance(value, _dict):
            return {_str(k): clean(v) for k, v in value.items()}
        if _isinstance(value, (_list, _tuple)):
            return [clean(v) for v in value]
        text = _str(value)
        if _len(text) > TEXT_MAX:
            text = text[:TEXT_MAX // 2] + "..." + text[-TEXT_MAX // 2:]
        return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")

    def emit(record):
        packet = prefix + dumps(clean(record)).encode("ascii")
        if _len(packet) > PACKET_MAX:
            packet = prefix + dumps({"t": "oversize"}).encode("ascii")
        try:
            write(fd, packet)
        except error:
            pass  # closed by tested code or by the host: what is missing counts as failed

    def found(kind, detail):
        if (kind, detail) not in told and _len(told) < FOUND_MAX:
            told.add((kind, detail))
            emit({"t": "tamper", "kind": kind, "detail": detail})

    def short(file):
        return relpath(file, repo) if repo and file.startswith(repo + "/") else file

    def is_old(path):
        """Not of this run. A program cannot set a ctime; an image may have some in the future."""
        try:
            return not begin_s < stat(path).st_ctime <= now_s()
        except error:
            return False

    def is_vouched(file):
        """Code of the image, or of a file of the repository that neither a patch nor the run made."""
        if begin_s is None:
            return True
        known = vouched.get(file)
        if known is None:
            full = realpath(file)
            known = full not in changed and is_old(full) and inode_of(full) not in inodes
            vouched[file] = known
        return known

    def inode_of(path):
        try:
            s = stat(path)
            return s.st_dev, s.st_ino
        except error:
            return None

    is_true, learn, learn_all, add_rewriter = make_origins(is_vouched)

    def is_code(code):
        """Code of the image, or of the repository as it was; what it says of itself is not enough."""
        return begin_s is None or is_true(code)

    def culprit(frame, beyond_imports=True):
        """The first frame of code that the harness does not vouch for. Who imports a module is not who wrote it."""
        while frame is not None:
            if not is_code(frame.f_code):
                return "%s:%d" % (short(frame.f_code.co_filename), frame.f_lineno)
            if not beyond_imports and frame.f_code.co_name == "<module>":
                return None
            frame = frame.f_back
        return None

    def file_of(thing):
        """Where a function, a module, a class or else an object's class is from; no code of it runs for that."""
        kind = _type(thing)
        if kind is function_type:
            return thing.__code__.co_filename
        if kind is not module_type:
            name = members(thing if _subclass(kind, _type) else kind).get("__module__")
            thing = modules.get(name) if _type(name) is _str else None
        file = thing.__dict__.get("__file__") if _type(thing) is module_type else None
        return file if _type(file) is _str else None

    def changes_code(args, frame):
        """Of something else's: with what it brought, a patch may do as it likes, and namedtuple() sets defaults."""
        if args[1] not in WRITTEN or (args[1] != "__code__" and is_code(frame.f_code)):
            return False
        file = file_of(args[0])
        return file is None or is_vouched(file)

    def library_user(frame):
        """The code that uses ctypes, where the harness does not vouch for it. Importing it is no use."""
        while frame is not None and frame.f_code.co_filename.endswith("/ctypes/__init__.py"):
            frame = frame.f_back
        return culprit(frame) if frame is not None and not is_code(frame.f_code) else None

    def indirect(frame, name):
        """The repository's own code that does what it has no word for: an object it was given did it."""
        code = frame.f_code
        if not repo or not code.co_filename.startswith(repo + "/") or name in code.co_names:
            return None
        return "%s:%d, which does not name it" % (short(code.co_filename), frame.f_lineno)

    def modified(name, now):
        code = _getattr(now, "__code__", None)
        file = code.co_filename if code is not None else "?"
        # Plugins do this, and they lie among the installed packages; pytest itself does it in one.
        if file.endswith("/_pytest/legacypath.py") and file.startswith(homes):
            return
        if file.endswith("/_pytest/skipping.py") and name in ("pytest.xfail", "_pytest.outcomes.xfail"):
            return  # --runxfail: it makes failures, not passes
        if code is None or not is_code(code) or file.startswith(repo + "/") or "-packages/" not in file or file.startswith(homes):
            found("pytest_modified", "%s is now of %s" % (name, short(file)))

    def snapshot():
        return {dotted: (function, function.__code__)
                for name, module in _list(modules.items()) if module is not None and name.split(".")[0] in packages
                for dotted, function in all_functions(module, name, set())}

    def check_builtins(is_running):
        """Tests do replace builtins, by their own functions and by mocks that are gone at their end."""
        for key, value in known_builtins.items():
            now = builtin_names.__dict__.get(key)
            file = now.__code__.co_filename if _type(now) is function_type else ""
            if now is value or (file.startswith(repo + "/") and is_code(now.__code__)):
                continue
            if not is_running or members(_type(now)).get("__module__") != "unittest.mock":
                found("builtins_modified", key)

    def check_critical(is_running=False):
        for module, name, function, code in critical:
            now = look(module, name)
            if now is not function or now.__code__ is not code:
                modified("%s.%s" % (module, name), now)
        if known_builtins is not None:
            check_builtins(is_running)
        check_state()

    def foreign(value):
        """A function of code that the harness does not vouch for, and that no library made for itself."""
        return [f for f in parts_of(value) if not is_code(f.__code__)]

    def check_library():
        """Modules outside of the repository: what tests use, and compare with."""
        for name, module in _list(modules.items()):
            if _type(module) is not module_type or name.split(".")[0] in packages or name == "__main__" or is_inside(module):
                continue
            was = library.get(name, {})
            for key, value in _list(module.__dict__.items()):
                old = was.get(key)
                if value is not old and (is_foreign(value) or (old is not None and is_of_patch(value) and name != "warnings")):
                    found("library_modified", "%s.%s" % (name, key))
                if _isinstance(value, _type) and value.__module__ == name:
                    for inner, part in _list(members(value).items()):
                        if is_foreign(part):
                            found("library_modified", "%s.%s.%s" % (name, key, inner))

    def is_foreign(value):
        """By a file: what a library compiles for itself has none, and was seen or not."""
        return any([not f.__code__.co_filename.startswith("<") or is_inside(modules.get(f.__module__)) for f in foreign(value)])

    def is_of_patch(value):
        """What takes the place of a function, where code of the run made it."""
        if foreign(value):
            return True
        if _type(value) is function_type or _type(value) is module_type:
            return False
        file = file_of(value)
        return (_type(value).__name__ in ("partial", "partialmethod", "builtin_function_or_method") or
                (file is not None and not is_vouched(file)))

    def is_inside(module):
        file = module.__dict__.get("__file__") if _type(module) is module_type else None
        return _type(file) is _str and (realpath(file) + "/").startswith(repo + "/")

    def shelve():
        return {name: {k: v for k, v in _list(module.__dict__.items()) if callable(v)}
                for name, module in _list(modules.items()) if _type(module) is module_type}

    def check_all():
        check_critical()
        now = snapshot()
        for name, (function, code) in before.items():
            if name not in now:
                found("pytest_modified", "%s is gone" % name)
            elif now[name][0] is not function or now[name][1] is not code:
                modified(name, now[name][0])
        check_library()
        names = names_of_standard() - {"pluggy", "xdist"}
        for name, module in _list(modules.items()):
            file = _getattr(module, "__file__", None)
            if name in names and _isinstance(file, _str) and realpath(file).startswith(repo + "/"):
                found("shadow", "%s is of %s" % (name, short(realpath(file))))

    def begin(where, files, parts):
        nonlocal repo, changed, begin_s, homes, packages, before, critical, known_builtins
        nonlocal inodes, check_state, settle_state, guard, library
        repo, changed, packages = where, frozenset(repo_join(where, p) for p in files), parts
        homes = _tuple({dirname(realpath(modules[m].__file__)) + "/" for m in parts if m in modules})
        learn_all()
        frame = getframe(1)
        while frame is not None:
            learn(frame.f_code)
            frame = frame.f_back
        inodes = frozenset([inode_of(p) for p in changed]) - {None}
        before = snapshot()
        check_state, settle_state, guard = make_watch(parts, is_true, where, found)
        library = shelve()
        begin_s = now_s()
        critical = [(m, n, f, f.__code__) for m, n in CRITICAL for f in [look(m, n)] if _hasattr(f, "__code__")]
        known_builtins = _dict(_vars(builtin_names))
        known_builtins.pop("_", None)

    def repo_join(where, path):
        return where + "/" + path

    def audited(event, args, frame):
        """An audit event: code that looks for the secrets of this frame is told first."""
        kind = PEEPING.get(event)
        name = event.rpartition(".")[2]
        if kind is None and event == "sys._getframe":
            kind = "frame_search"
            if frame.f_code.co_filename.endswith("/inspect.py"):
                frame, name = frame.f_back, "currentframe"
            if is_code(frame.f_code) and not indirect(frame, name):
                return
        elif kind is None and event == "exec":
            made(args[0], frame)
        elif kind is None and event in ("object.__getattr__", "object.__setattr__"):
            if event == "object.__setattr__" or args[1] not in FRAMES:
                kind, name = "code_change" if event == "object.__setattr__" and changes_code(args, frame) else None, args[1]
            else:
                kind, name = "frame_search", args[1]
                if is_code(frame.f_code) and not indirect(frame, name):
                    return
        elif kind is None and event == "open":
            path = _str(args[0])
            if path.startswith("/proc/") and path.endswith(("/mem", "/pagemap")):
                kind = "memory"
        if kind is not None:
            who = library_user(frame) if event.startswith("ctypes.") else culprit(frame, beyond_imports=False)
            who = who or (indirect(frame, name) if kind in DIRECT else None)
            if who is not None:
                found(kind, "%s by %s" % (event, who))

    def made(code, frame):
        """Code that no file has is its maker's: who says exec() or eval(), and all that led there."""
        names = frame.f_code.co_names
        if code.co_filename.startswith("<") and ("exec" in names or "eval" in names) and \
                culprit(frame, beyond_imports=False) is None:
            learn(code)

    def rewritten(path, config):
        """What pytest would make of a file, made here, where what it is made from is known."""
        if rewrite is None or _type(path) is not _str:
            return None
        check_state()
        if told:
            return None  # it may be another's by now, and would run in here
        try:
            result = rewrite(path, config)
        except failure:
            return None  # who asks finds out by himself
        if is_vouched(path):
            learn(result[1])
        return result

    def handle(request, frame):
        nonlocal rewrite
        if request[0] == "own":
            if not own:
                own.update(request[1])
        elif request[0] == "audit":
            if begin_s is not None and frame.f_back is not None:
                audited(request[1], request[2], frame.f_back)
        elif _id(frame.f_code) not in own:
            found("channel_use", "by %s" % (culprit(frame) or "somebody"))
        elif request[0] == "rewrite":
            return rewritten(*request[1:])
        elif thread() != main:
            found("report_call", "from another thread")
        elif culprit(frame) is not None:
            found("report_call", "by %s" % culprit(frame))
        elif request[0] == "send":
            report = request[1] if request[1].get("t") == "report" else {}
            if report.get("outcome") in ("passed", "skipped") and (report["when"] == "call" or report["outcome"] == "skipped"):
                check_critical(report["when"] == "call")
            emit(request[1])
        elif request[0] == "begin":
            if repo is None:
                begin(*request[1:])
        elif request[0] == "found":
            found(request[1], request[2])
        elif request[0] == "check":
            check_all()
        elif request[0] == "look":
            check_critical(True)
        elif request[0] == "settle":
            settle_state()
        elif request[0] == "guard":
            guard(request[1], request[2])
        elif request[0] == "rewriter":
            if rewrite is None:
                rewrite = request[1]
                add_rewriter(lambda path: rewrite(path, None)[1])
        elif request[0] == "strangers":
            return [c for c in request[1] if c is None or not is_code(c)]
        elif request[0] == "vouched":
            return is_vouched(request[1]) if _type(request[1]) is _str else is_code(request[1])
        return None

    answer, rewrite, failure = None, None, Exception
    while True:
        request = yield answer
        answer = None
        if getpid() != owner:
            continue  # a fork that runs on is not who reports
        try:
            answer = handle(request, getframe(2))  # ours, `ask`, whatever calls it
        except failure as e:
            found("guard", "%s: %s" % (_type(e).__name__, e))


def start(secret, modules):
    """ask(request...), of which only code of the given modules may make use."""
    highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    fd = fcntl.fcntl(FD_CHANNEL, fcntl.F_DUPFD_CLOEXEC, FD_HIGH if highest > FD_HIGH else max(highest - 1, 5))
    os.close(FD_CHANNEL)
    core, lock = _core(secret, fd), threading.RLock()
    next(core)

    def ask(*request):
        with lock:
            return None if core.gi_running else core.send(request)

    def hear(event, args):
        if event in watched:
            ask("audit", event, args)

    watched = frozenset(PEEPING) | {"exec", "sys._getframe", "object.__getattr__", "object.__setattr__", "open"}
    own = set()
    for module in modules:
        for function in vars(module).values():
            code = getattr(function, "__code__", None)
            if code is not None and function.__module__ == module.__name__:
                own.update(map(id, codes_of(code)))
            elif isinstance(function, type) and function.__module__ == module.__name__:
                for _, inner in functions_of(function, "", set()):
                    own.update(map(id, codes_of(inner.__code__)))
    ask("own", own)
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(hear)
    return ask
