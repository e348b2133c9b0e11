# SPDX-License-Identifier: Apache-2.0
"""The core speaks to the host, and looks for tampering inside the runner's own process.

Tested code shares the interpreter with this. Everything that could serve to forge a record (the channel, its secret,
the core's knowledge of files and functions) is therefore in local variables of suspended generators and nowhere else:
Python gives them away only by ways that raise an audit event (sys.addaudithook, Python 3.8). The event is told to the
host before the way is open, and while the core itself runs these ways are closed. Requests are audit events themselves:
the core runs inside an audit hook, where Python traces nothing, and no function that can be reached leads to it. A
record is sent for code of the harness only, in the main thread, with no code on the stack that the patches or the run
itself brought. None of this is a wall: native code can undo it. docs/judging.md says so.

Runs inside the container, standard library only, Python 3.6 and later.
"""
import _stat
import builtins
import fcntl
import json
import os
import resource
import sys
import threading
import time

from csbx_calls import make_calls
from csbx_events import OPENING, is_of_core, make_audit, make_filter
from csbx_finders import make_finders
from csbx_innards import make_innards
from csbx_opened import make_opened
from csbx_origins import codes_of, make_origins
from csbx_parts import functions_of, make_parts, make_rewriter_watch
from csbx_post import make_encoder, make_post
from csbx_shadows import make_shadows
from csbx_state import make_watch
from csbx_texts import REFUSED, is_same_text
from csbx_types import make_types_watch
from csbx_ways import EVENT, IDENTITY, ask_by_event, close_ways, guard_collector, guard_handlers, make_shelter

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

HERE = os.path.dirname(os.path.realpath(__file__))
FD_CHANNEL = 3
FD_INPUT = 4
FD_HIGH = 200  # out of the way of code that counts or closes low descriptors
FOUND_MAX = 64
ONLY_AST = 0x400  # compile(): PyCF_ONLY_AST
QUICK = ("known", "vouched", "handles", "no_frame")  # what is asked for often, and takes nothing from a type
OF_TESTS = frozenset(("test_replaced", "outcome_call", "native", "counts", "unwatched"))  # says nothing of what rewrites asserts
# What that is made of, by pytest and by the modules themselves: a change of another library says nothing of it either.
OF_REWRITER = frozenset(("ast", "_ast", "tokenize", "token", "itertools", "io", "_io", "re", "sre_compile", "sre_parse", "enum", "contextlib",
                         "codecs", "_codecs", "encodings", "collections", "_collections", "functools", "_functools", "operator", "_operator",
                         "builtins", "sys", "os", "posix", "posixpath", "genericpath", "stat", "types", "typing", "struct", "importlib", "marshal",
                         "errno", "pathlib", "abc", "_abc", "warnings", "_warnings", "weakref", "_weakref", "keyword", "fnmatch", "string",
                         "copyreg", "inspect", "_frozen_importlib", "_frozen_importlib_external"))


def read_input():
    """Reads the host's wishes, from a descriptor that is gone afterwards."""
    size = os.fstat(FD_INPUT).st_size
    data, at = b"", 0
    while at < size:
        part = os.pread(FD_INPUT, size - at, at)
        if not part:
            break
        data, at = data + part, at + len(part)
    os.close(FD_INPUT)
    return json.loads(data.decode("utf-8"))


def make_paths():
    """real_path(path) without code of the library; a path that is not there stays as it is."""
    open_path, close, readlink, error, flags, refused = os.open, os.close, os.readlink, OSError, os.O_PATH | os.O_CLOEXEC, REFUSED

    def real_path(path):
        try:
            fd = open_path(path, flags)
        except error as e:
            if e.errno in refused:
                raise
            return path
        try:
            return readlink("/proc/self/fd/%d" % fd)
        except error:
            return path
        finally:
            close(fd)
    return real_path


def _core(post, is_open, kept, frozen, own, other_types, strange_types):
    """The generator. Callers send it first the codes of the functions that lead to it, from the innermost on, then
    (whether the audit hook itself tells it, a request). Requests are tuples: ("send", record), ("begin", ...), ...

    is_open[0] is true while the core itself asks for a frame: nothing else may do so while it runs. kept holds what the core
    lets go of, until it has come to rest: a finalizer that ran in here could be told the core's frame by a signal.
    """
    getframe, getpid, stat, encode, real_path = sys._getframe, os.getpid, os.stat, make_encoder(), make_paths()
    thread, now_s, modules, error, dirname = threading.get_ident, time.time, sys.modules, OSError, os.path.dirname
    lstat, is_link, code_type = os.lstat, _stat.S_ISLNK, type(make_paths.__code__)
    owner, main = getpid(), threading.get_ident()
    repo, changed, begin_s, inodes, told, vouched = None, frozenset(), None, frozenset(), set(), {}
    check_critical = check_all = look = complete = settle_state = check_state = guard = audited = is_as_before = check_tracers = None
    _len, _str, _id, _type, compile_text, open_file = len, str, IDENTITY, type, compile, open
    memory = None
    starts, failure, rewrite, is_doubted, of_tests, older, doubles = str.startswith, Exception, None, False, OF_TESTS, {}, {}
    module_loaded = check_shadows = note_finders = who_finds = None
    plain_text, own_home = str.__str__, HERE + "/"
    of_rewriter, part, readlink, is_memory_link = OF_REWRITER, str.partition, os.readlink, make_opened()[1]

    def is_of_rewriter(kind, detail):
        """True for what may make another thing of the rewriting of asserts. An audit hook cannot: it hears of the core's files by then,
        and is given no frame."""
        if kind == "library_modified":
            return part(detail, ".")[0] in of_rewriter
        return kind not in of_tests and not (kind == "trace" and starts(detail, "sys.addaudithook "))

    def found(kind, detail):
        nonlocal is_doubted
        is_doubted = is_doubted or is_of_rewriter(kind, detail)
        tell(kind, detail)

    def tell(kind, detail):
        if (kind, detail) not in told and _len(told) < FOUND_MAX:
            told.add((kind, detail))
            post.send(encode({"t": "tamper", "kind": kind, "detail": detail}))

    def short(file):
        return file[_len(repo) + 1:] if repo and starts(file, repo + "/") else file

    def is_old(s):
        """Not of this run. A program cannot set a ctime; an image may have some in the future."""
        return not begin_s < s.st_ctime <= now_s()

    def is_led_away(file):
        """By a link in the repository that was made since: what it leads to may be old."""
        if not starts(file, repo + "/"):
            return False
        while _len(file) > _len(repo):
            s = lstat(file)
            if is_link(s.st_mode) and not is_old(s):
                return True
            file = dirname(file)
        return False

    def is_vouched(file):
        """Code of the image, or of a file of the repository that neither a patch nor the run made."""
        if begin_s is None:
            return True
        if _type(file) is not _str:
            return False
        try:
            s = stat(file)
            facts = s.st_dev, s.st_ino, s.st_ctime_ns  # a file that was believed may be written later
            known = vouched.get(file)
            if known is None or known[0] != facts:
                is_so = real_path(file) not in changed and is_old(s) and facts[:2] not in inodes and not is_led_away(file)
                known = vouched[file] = facts, is_so
            return known[1]
        except error:
            return False

    def is_handler(code):
        """Of a function of the repository as it was: a library's could hand the frame on."""
        return code is not None and repo is not None and is_filed(code) and starts(code.co_filename, repo + "/")

    def is_written(file):
        """By the run, and by no patch."""
        try:
            if real_path(file) in changed:
                return False
            with open_file(file, "rb") as f:
                return not is_old(stat(f.fileno())) or not is_same_text(f.fileno(), f.read())
        except error:
            return False

    is_true, is_filed, learn, learn_all, add_rewriter, *of_bytes = make_origins(is_vouched, frozen, older)

    def is_code(code):
        """True for code of the image, or of the repository as it was; the code's own word is not enough."""
        return begin_s is None or is_true(code)

    def culprit(frame, beyond_imports=True, is_told=is_true):
        """The first frame of code that the harness does not vouch for. Code that imports a module did not write it."""
        while frame is not None:
            code = frame.f_code
            if begin_s is not None and not is_told(code):
                return "%s:%d" % (short(code.co_filename), frame.f_lineno)
            if not beyond_imports and code.co_name == "<module>":
                return None
            frame = frame.f_back
        return None

    def inode_of(path):
        try:
            s = stat(path)
            return s.st_dev, s.st_ino
        except error:
            return None

    def tell_of_link(path):
        """Of a link that can be put in the place of another name in the moment in which that is opened."""
        try:
            if is_memory_link(readlink(path)):
                found("memory", "%s leads there" % short(path))
        except error:
            pass

    def begin(where, files, packages):
        nonlocal repo, changed, begin_s, inodes, check_state, settle_state, guard, check_critical, check_all, look, complete, audited
        nonlocal is_as_before, check_tracers, module_loaded, check_shadows, note_finders, who_finds
        repo, changed = where, frozenset([where + "/" + p for p in files])
        homes = tuple({dirname(real_path(modules[m].__file__)) + "/" for m in packages if m in modules} | {own_home})
        is_open[0] = True
        innards = make_innards(learn_all(), found, kept)
        frame = getframe(1)
        is_open[0] = False
        while frame is not None:
            learn(frame.f_code)
            frame = frame.f_back
        inodes = frozenset([inode_of(p) for p in changed]) - {None}
        for path in changed:
            tell_of_link(path)
        check_state, settle_state, guard = make_watch(packages + ("doctest",), (is_true, is_vouched), where, found, kept)
        origins = is_code, is_vouched, short, real_path, is_written
        check_critical, check_all, look, complete = make_parts(packages, homes, where, origins, found, (check_state, *innards), kept)
        audited, check_tracers = make_audit((is_code, is_filed, is_vouched, learn, culprit, short, *of_bytes), found, where)
        module_loaded, check_shadows = make_shadows(doubles, tell, short)
        note_finders, who_finds = make_finders(is_code)
        is_as_before = make_rewriter_watch()
        begin_s = now_s()

    def rewritten(path, has_hook=False):
        """Compiles a file as pytest's rewriting would, but here, where the core knows the source it compiles."""
        if rewrite is None or _type(path) is not _str:
            return None
        check_critical(True)
        if is_doubted or not is_as_before():
            return None  # it may be another's by now, and would run in here
        try:
            s = stat(path)
            with open_file(path, "rb") as f:
                source = f.read()
                is_as_noted = is_same_text(f.fileno(), source)
            tree = compile_text(source, path, "exec", ONLY_AST, True)
            rewrite(tree, source, path, has_hook is True)
            code = compile_text(tree, path, "exec", 0, True)
        except failure:
            return None  # who asks finds out by himself
        if is_vouched(path) and is_as_noted:
            learn(code)
        return s, code, is_as_noted

    def code_of_rewriter(path):
        made = rewritten(path)
        return made[1] if made and made[2] else None

    def look_at_types(are_late_too=True):
        for is_builtin, name in other_types():
            tell_of_type(is_builtin, name)
        for name in strange_types() if are_late_too else ():
            tell_of_type(False, name)

    def tell_of_type(is_builtin, name):
        found("builtins_modified" if is_builtin else "library_modified", name)

    def send(record):
        report = {}
        if record.get("t") == "report":
            record = report = look_at_report(record)
        if report.get("outcome") in ("passed", "skipped") and (report["when"] == "call" or report["outcome"] == "skipped"):
            if not is_done_with(report):
                check_critical(report["when"] == "call")
            check_tracers()
        if report.get("outcome") == "skipped" and who_finds is not None and who_finds() is not None:
            found("outcome_call", "%s is skipped, and %s" % (report["id"], who_finds()))
        if report.pop("own", False):
            report["alt"] = None
        post.send(encode(record))

    note_call, (note_level, lost_at), is_at, is_over, names_of, look_at_report, is_done_with = make_calls(found)

    def speak(request, frame):
        """Requests that only the harness may make, in the main thread, with nothing of a patch on the stack."""
        name = request[0]
        if name == "send":
            send(request[1])
        elif name == "begin" and repo is None:
            begin(*request[1:])
        elif name == "older" and repo is None:
            older.update(request[1])
        elif name == "doubles" and repo is None:
            doubles.update(request[1])
        elif name == "found":
            found(request[1], request[2])
        elif name == "check":
            look_at_types()
            check_all()
            check_shadows()
        elif name == "look":
            look_at_types()
            look()
        elif name == "complete":
            complete()
        elif name == "loaded":
            check_critical(True)  # code of a patch may have run, and what it replaces for one call of pytest's is there still
        elif name == "settle":
            settle_state()
        elif name == "guard":
            guard(request[1], request[2])
        elif name == "ended":
            if not is_over():
                note_call("over", None, None, False)
                check_critical(True)  # before the harness makes use of what the test may have replaced for one call
        elif name == "call":
            look_at_types(False)
            note_call(*request)
        elif name in ("enter", "return", "raise", "swallowed", "levels"):
            if name == "levels" or _len(request) > 2 and request[2]:
                note_level(*request, *([None] if _len(request) < 4 else []))
            else:
                note_call(name, request[1], None, False)
                note_level(name, request[1], 0, request[3] if _len(request) > 3 else None)
        elif name == "lost":
            return lost_at(request[1])
        elif name == "expect":
            names_of[0].update(map(plain_text, request[1]))
        elif name == "may_fail":
            names_of[1].update(map(plain_text, request[1]))
        elif name in ("returned", "entered"):
            return is_at(name, request[1])
        elif name == "strangers":
            return [c for c in request[1] if c is None or not begin_s or not is_filed(c)]
        elif name == "was_there":
            return of_bytes[-1](request[1])
        elif name == "written":
            return is_written(request[1])
        elif name == "vouched":
            return is_vouched(request[1]) if _type(request[1]) is _str else is_code(request[1])
        return None

    def hear(request, frame):
        """Takes the events that the audit hook tells."""
        if request[0] == "hidden":
            found("heap_search" if request[1] == "gc.get_referents" else "frame_search", "%s of the harness" % request[1])
        elif request[0] == "disturbed":
            found("guard", "garbage was collected while the harness looked")
        elif request[0] == "type":
            tell_of_type(*request[1:])
        elif begin_s is not None and frame is not None:
            if doubles and request[1] == "exec" and _type(request[2][0]) is code_type:
                module_loaded(request[2][0])
            if request[1] == "import":
                note_finders()
            audited(request[1], request[2], frame)

    def handle(request, frame):
        nonlocal rewrite, memory
        if _id(frame.f_code) not in own:
            found("channel_use", "by %s" % (culprit(frame) or "somebody"))
        elif request[0] == "rewrite":
            who = thread() == main and culprit(frame, False) is None
            made = rewritten(request[1], request[2]) if who else None  # else pytest does it, and the core later, if it needs to
            return made and made[:2]
        elif request[0] == "known":
            return memory
        elif request[0] == "handles":
            return is_handler(request[1])
        elif request[0] == "no_frame":
            found("frame_search", "a handler of a signal asks for its frame")
        elif request[0] == "remember" and begin_s is None:
            memory = request[1]
        elif request[0] == "rewriter":
            if rewrite is None:
                rewrite = request[1]
                add_rewriter(code_of_rewriter)
        elif thread() != main:
            found("report_call", "from another thread")
        else:
            who = culprit(frame, True, is_filed if begin_s else is_true)
            if who is None:
                return speak(request, frame)
            found("report_call", "by %s" % who)
        return None

    def who_asks(is_told, request):
        """The frame that asks by the way that there is; None: by another."""
        is_open[0] = True
        frame = getframe(3)  # this function's is 0, the core's 2
        is_open[0] = False
        for code in ways[:-1]:
            if frame is None or frame.f_code is not code:
                return None
            frame = frame.f_back
        if is_told:
            return frame
        # The request must be the one that the function was called with, and not one that other code brought along.
        is_so = frame is not None and frame.f_code is ways[-1] and frame.f_locals.get("request") is request
        return frame.f_back if is_so else None

    def take(is_told, request):
        frame = who_asks(is_told, request)
        if is_told:
            return hear(request, frame)
        if frame is None:
            return found("channel_use", "by another way")
        return handle(request, frame)

    ways = yield
    answer = None
    while True:
        is_told, request = yield answer
        answer = None
        if getpid() == owner:  # a fork that runs on is not who reports
            try:
                answer = take(is_told, request)
            except failure as e:
                found("guard", "%s: %s" % (_type(e).__name__, "in the harness"))
        elif request[0] == "known":
            answer = memory  # a fork may run tests, and say nothing of them
        elif request[0] == "handles":
            answer = is_handler(request[1])
        request = None  # the last holder is the asker: its end frees things elsewhere


class Refused(RuntimeError):
    """A way to the harness's variables is closed."""


def _own_codes(modules):
    own = set()
    for module in modules:
        for function in vars(module).values():
            code = getattr(function, "__code__", None)
            if code is not None and function.__module__ == module.__name__:
                own.update(map(IDENTITY, codes_of(code)))
            elif isinstance(function, type) and function.__module__ == module.__name__:
                for _, inner in functions_of(function, "", set()):
                    own.update(map(IDENTITY, codes_of(inner.__code__)))
    return own


def start(secret, modules):
    """ask(request...), of which only code of the given modules may make use."""
    highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    fd = fcntl.fcntl(FD_CHANNEL, fcntl.F_DUPFD_CLOEXEC, FD_HIGH if highest > FD_HIGH else max(highest - 1, 5))
    os.close(FD_CHANNEL)
    is_open, kept, refused, audit = [False], [], Refused, getattr(sys, "audit", None)
    frozen = close_ways()
    post = make_post(secret, fd)
    mend_types, *other_types = make_types_watch()
    core = _core(post, is_open, kept, frozen, _own_codes(modules), *other_types)
    is_running, send, quick = type(core).__dict__["gi_running"].__get__, type(core).send, QUICK
    lock, is_heard, is_audited = threading.RLock(), make_filter(), is_of_core
    hold, release = make_shelter()
    hidden, event_of_ours, identity, _type, tuple_type, size = (IDENTITY(core), IDENTITY(post)), EVENT, IDENTITY, type, tuple, len
    list_type, str_type, strange_request, opening, getpid, owner = list, str, ("strange",), OPENING, os.getpid, os.getpid()
    next(core)

    def serve(is_told, request):
        with lock:
            if is_running(core):
                return None
            strange = () if not is_told and request[0] in quick else mend_types()
            state = hold()
            try:
                answer = send(core, (is_told, request))
                for one in strange:
                    send(core, (True, ("type", *one)))
            finally:
                is_disturbed = release(state)
            if is_disturbed and request[0] != "disturbed":
                send(core, (True, ("disturbed",)))
            if kept:
                kept.clear()
            return answer

    def ask_directly(*request):
        return serve(False, request)

    def hides(event, args):
        """True when the event looks into a generator of the harness."""
        if event == "gc.get_referents":
            things = args[0] if size(args) and _type(args[0]) is tuple_type else ()
        else:
            things = args[:1] if event == "object.__getattr__" else ()
        return [t for t in things if identity(t) in hidden]

    def listen(event, args):
        """In a fork nothing is told: its own memory is the harness's as well, and stays closed to it."""
        if event == event_of_ours:
            # Anybody can raise it, with anything: nothing is asked of a thing that is not what ask() makes.
            if size(args) == 2 and _type(args[0]) is tuple_type and _type(args[1]) is list_type and not args[1] and args[0] and \
                    _type(args[0][0]) is str_type:
                args[1].append(serve(False, args[0]))
            else:
                serve(False, strange_request)
            return
        if not is_heard(event, args):
            return
        if event in opening and getpid() != owner:
            raise refused("csbx test gives a fork no memory to read")
        with lock:
            if is_running(core):
                if not is_open[0] and not is_audited(event):
                    raise refused("not while the harness looks")
                return
        serve(True, ("audit", event, args))
        if hides(event, args):
            serve(True, ("hidden", event))
            raise refused("not of the harness")

    if audit is None:
        core.send((serve.__code__, ask_directly.__code__))
        guard_handlers(ask_directly)
        return ask_directly
    ask = ask_by_event(audit)
    core.send((serve.__code__, listen.__code__, ask.__code__))
    sys.addaudithook(listen)
    guard_handlers(ask)
    guard_collector(audit)
    return ask
