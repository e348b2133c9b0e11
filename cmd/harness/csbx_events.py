# SPDX-License-Identifier: Apache-2.0
"""Audit events: acts of code that could lead to the things the harness hides, told before they are done.

make_audit() returns functions of an event and the frame in which it happened. They are functions of the core, and call
nothing that is not bound here.
"""
import importlib.machinery
import os
import sys
import types

from csbx_finders import make_finders_watch
from csbx_opened import make_addressed, make_opened, make_plain
from csbx_state import class_names, module_names

PEEPING = {"sys._current_frames": "frame_search", "sys._current_exceptions": "frame_search",
           "gc.get_objects": "heap_search", "gc.get_referrers": "heap_search", "gc.get_referents": "heap_search", "gc.set_debug": "heap_search",
           "ctypes.addressof": "memory", "ctypes.cdata": "memory", "ctypes.string_at": "memory",
           "ctypes.wstring_at": "memory", "ctypes.memoryview_at": "memory", "ctypes.PyObj_FromPtr": "memory",
           "ctypes.cdata/buffer": "memory", "ctypes.dlopen": "memory", "ctypes.dlsym": "memory",
           "ctypes.dlsym/handle": "memory", "ctypes.call_function": "memory", "import": "memory", "sqlite3.load_extension": "memory",
           "fcntl.ioctl": "memory", "fcntl.fcntl": "memory", "sys.settrace": "trace", "sys.setprofile": "trace", "sys.monitoring.register_callback": "trace",
           "code.__new__": "code_change", "function.__new__": "code_change", "marshal.loads": "code_change",
           "marshal.load": "code_change", "sys.addaudithook": "trace", "cpython.PyInterpreterState_New": "interpreter"}
DIRECT = ("heap_search", "frame_search", "trace", "code_change")  # a library that does these for others is known by name
WRITTEN = ("__code__", "__defaults__", "__kwdefaults__", "__bases__", "__class__")  # what makes it something else
FRAMES = ("gi_frame", "cr_frame", "ag_frame", "tb_frame", "f_back")
OPENING = ("open", "os.symlink")
OTHERS = ("exec", "sys._getframe", "object.__getattr__", "object.__setattr__", "open")
VARIABLES = (b"PYTHONOPTIMIZE",)  # by which the asserts of another Python do nothing
NESTED = 0x10  # CO_NESTED
GENERATOR = 0x20  # CO_GENERATOR
NATIVE = ("ctypes", "_ctypes", "cffi", "_cffi_backend", "_testcapi", "_testinternalcapi")  # what is done with their objects raises no event
TEXT_RUNNERS = tuple("/%s.py" % m for m in ("code", "codeop", "timeit", "bdb", "pdb", "cProfile", "profile", "trace", "runpy", "typing", "inspect"))
OF_CORE = ("exec", "marshal.loads")  # the core's own work on the bytes it reads
MAKERS = ("replace", "CodeType", "code", "__new__")  # words for making a code object
# Functions of libraries that return a frame, or what it holds, to the code that calls them.
GIVERS = (("/logging/__init__.py", "<lambda>"), ("/logging/__init__.py", "currentframe"), ("/traceback.py", "walk_stack"), ("/traceback.py", "walk_tb"),
          ("/inspect.py", "getinnerframes"), ("/inspect.py", "getgeneratorlocals"), ("/inspect.py", "getcoroutinelocals"),
          ("/inspect.py", "getasyncgenlocals"), ("/asyncio/base_tasks.py", "_task_get_stack"), ("/_pytest/_code/code.py", "frame"))
# Files of the library whose functions give frames, or what these hold, to others.
HANDING = ("/traceback.py", "/logging/__init__.py", "/inspect.py", "/warnings.py", "/asyncio/format_helpers.py", "/asyncio/base_tasks.py")
HANDED_NONE = frozenset(("_logRecordFactory", "_loggerClass"))  # what logging lets programs set; neither it nor its methods are given a frame
TRACERS = ("/coverage/", "/pydevd")  # they trace from C, by a method of another name


def is_of_core(event):
    return event in OF_CORE


def make_filter():
    """is_heard(event, args): true for an event to look at; most are not, and every event comes here. Anybody can raise one, with any arguments:
    nothing is asked of them before they are known to be plain."""
    watched, others, written, frames, native = map(frozenset, (PEEPING, OTHERS, WRITTEN, FRAMES, NATIVE))
    _type, _str, size = type, str, len
    variables, are_others, plain, (is_memory, is_named_so) = frozenset(VARIABLES), make_finders_watch(), make_plain(), make_opened()
    is_address = make_addressed()

    def is_heard(event, args):
        if event == "open":
            return is_memory(args)
        if event == "import":
            return size(args) < 2 or args[1] is not None or plain(args[0]) in native or are_others()
        if event == "object.__getattr__":
            return size(args) > 1 and _type(args[1]) is _str and args[1] in frames
        if event == "object.__setattr__":
            return size(args) > 2 and _type(args[1]) is _str and args[1] in written
        if event == "os.putenv":
            return size(args) > 0 and plain(args[0]) in variables
        if event == "os.symlink":
            return size(args) > 0 and is_named_so(args[0])
        if event == "fcntl.ioctl" or event == "fcntl.fcntl":
            return is_address(event, args)
        return event in watched or event in others
    return is_heard


def make_tracer_judge(is_code, is_vouched, file_of, found):
    """judge(function): tells of one that is called for each step of a program and that the harness does not vouch for."""
    _type, members, bases_of = type, class_names, type.__dict__["__mro__"].__get__
    function_type, method_type, plain = types.FunctionType, types.MethodType, object.__getattribute__
    no_attribute = AttributeError
    by_others, builtin, module_type = ("partial", "method-wrapper"), type(len), types.ModuleType

    def is_of_others(function):
        kind = _type(function)
        if kind is function_type:
            return not is_code(function.__code__)
        if kind is method_type:
            if _type(function.__func__) is not function_type or not is_code(function.__func__.__code__):
                return True
            function = function.__self__
            kind = _type(function)
        elif kind is builtin:
            return _type(function.__self__) is not module_type
        elif kind.__name__ in by_others:
            return True
        for base in bases_of(kind):
            file = file_of(base)
            if file is not None and not is_vouched(file):
                return True
            if [v for v in members(base).values() if _type(v) is function_type and not is_code(v.__code__)]:
                return True
        try:
            own = plain(function, "__dict__")
        except no_attribute:
            return False
        return [v for v in own.values() if _type(v) is function_type and not is_code(v.__code__)] != []

    def judge(function):
        if function is not None and is_of_others(function):
            code = function.__code__ if _type(function) is function_type else None
            found("trace", "what traces is of %s" % (code.co_filename if code is not None else "an object of " + _type(function).__name__))
    return judge


def make_audit(vouch, found, repo):
    """(audited(event, args, frame), check_tracers()). vouch: is_code, is_filed, is_vouched, learn, culprit, short of the core, and
    is_compiled, has_code, is_cached, is_moved and was_there."""
    is_code, is_filed, is_vouched, learn, culprit, short, is_compiled, has_code, is_cached, is_moved, was_there = vouch
    peeping, direct, tracers, inside = dict(PEEPING).get, DIRECT, TRACERS, repo + "/"
    _type, _str, _subclass, begins, ends, contains = type, str, issubclass, str.startswith, str.endswith, str.__contains__
    partition, rpartition, nested = str.partition, str.rpartition, NESTED
    members, function_type, module_type = class_names, types.FunctionType, types.ModuleType
    names_of_module, modules = module_names, sys.modules
    tuple_type, spec_type, plain = tuple, importlib.machinery.ModuleSpec, object.__getattribute__
    givers, native, opening, get_trace, get_profile = GIVERS, NATIVE, OPENING, sys.gettrace, sys.getprofile
    base_name, runners, len_of, dict_type, plain_name = os.path.basename, TEXT_RUNNERS, len, dict, make_plain()
    builtin, static_type, class_type, nothing, handed, handing, _list, set_type = type(len), staticmethod, classmethod, {}, {}, HANDING, list, set
    generator, handed_none = GENERATOR, HANDED_NONE
    code_type, id_of, values, users, libraries, makers = types.CodeType, id, dict.values, {}, frozenset(("ctypes", "_ctypes")), MAKERS

    def file_of(thing):
        """The file that a function, a module, a class or else an object's class is from; no code of it runs for
        that."""
        kind = _type(thing)
        if kind is function_type:
            return thing.__code__.co_filename
        if not _subclass(kind, module_type):
            name = members(thing if _subclass(kind, _type) else kind).get("__module__")
            thing = modules.get(name) if _type(name) is _str else None
        file = names_of_module(thing).get("__file__") if _subclass(_type(thing), module_type) else None
        return file if _type(file) is _str else None

    def is_left(code):
        """Of a file as it was, even if a patch has changed other things in it: what it does it could be had to do elsewhere, too."""
        return is_filed(code) or was_there(code)

    def is_old(code):
        return is_code(code) or was_there(code)

    is_first = True
    judge_tracer = make_tracer_judge(is_old, is_vouched, file_of, found)

    def check_tracers():
        judge_tracer(get_trace())
        judge_tracer(get_profile())

    def traces(args, frame):
        """Judges new trace functions: those of this thread, and those that threading holds for threads to come."""
        check_tracers()
        if ends(frame.f_code.co_filename, "/threading.py"):
            space = names_of_module(modules["threading"])
            judge_tracer(space.get("_trace_hook"))
            judge_tracer(space.get("_profile_hook"))
        for function in args:
            judge_tracer(function)

    def names_native(code, frame):
        """Reports code of the run or a patch that names a means to read and write any memory: its use then raises no
        event."""
        file = code.co_filename
        if is_filed(frame.f_code) and (_type(file) is not _str or begins(file, "<") or is_vouched(file)):
            return
        todo = [code]
        while todo:
            one = todo.pop()
            words = [w for w in native if w in one.co_names or w in [c for c in one.co_consts if _type(c) is _str]]
            words += [n for n in one.co_names if begins(n, "ctypes.")]
            if words:
                found("native", "%s is named by %s:%d" % (words[0], short(file), one.co_firstlineno))
            todo += [c for c in one.co_consts if _type(c) is code_type]

    def imports_native(name, frame):
        """Reports code that imports it itself, and not by a library."""
        while frame is not None and (begins(frame.f_code.co_filename, "<frozen importlib") or
                                     ends(frame.f_code.co_filename, "/importlib/__init__.py")):
            frame = frame.f_back
        if frame is not None and (not is_filed(frame.f_code) or is_for_others(frame, rpartition(name, ".")[2])):
            found("native", "%s is imported by %s" % (name, place(frame)))

    def is_for_others(frame, name):
        """True for a library that does what it has no word for, with nothing of the repository on the stack: in a thread of its own."""
        if calls(frame.f_code, name):
            return False
        while frame is not None:
            if begins(frame.f_code.co_filename, inside) or frame.f_code.co_name == "<module>":
                return False
            frame = frame.f_back
        return True

    def native_name(args):
        """Of a module that Python loads, by its name, or by its file where it is loaded by another name."""
        asked, file = plain_name(args[0]), plain_name(args[1])
        for name in (asked, partition(base_name(file), ".")[0] if _type(file) is _str else None):
            if _type(name) is _str and (name in native or rpartition(name, ".")[2] in native):
                return name
        return None

    def loads(event, args, frame):
        """The place that makes code of bytes; None for the import of a cached file that says the same as its source."""
        code = frame.f_code
        if begins(code.co_filename, "<frozen importlib") and code.co_name == "_compile_bytecode":
            cached, source = frame.f_locals.get("bytecode_path"), frame.f_locals.get("source_path")
            if _type(cached) is _str and (is_vouched(cached) or is_cached(args[0], source)):
                return None
            return short(cached) if _type(cached) is _str else place(frame)
        if event == "marshal.loads" and not has_code(args[0]):
            return None
        return culprit(frame, beyond_imports=False) or (None if is_filed(code) else place(frame))

    def changes_code(args, frame):
        """True for the code of something else: a patch may change what it brought as it likes, and namedtuple() sets
        defaults."""
        if args[1] == "__code__" and _type(args[2]) is code_type:
            if says_of_itself(args[0], args[2], frame):  # hypothesis does so for each example
                return False
            if not is_compiled(args[2]):
                return True
        if args[1] != "__code__" and is_left(frame.f_code) and (names(frame.f_code, args[1]) or is_inner(args[0], args[1], frame.f_code)):
            return False
        file = file_of(args[0])
        if args[1] != "__code__" and file is not None and begins(file, "<") and _type(args[0]) is function_type:
            home = args[0].__globals__.get("__file__")  # made for a class of that file, as dataclasses do
            file = home if _type(home) is _str else file
        return file is None or is_vouched(file)

    def is_inner(function, name, code):
        """True for a function that a function of the same file has made, and code that has the name in a list: mock's copy of a signature."""
        its = function.__code__ if _type(function) is function_type else code
        return its.co_flags & nested and its.co_filename == code.co_filename and is_filed(its) and \
            [c for c in code.co_consts if _type(c) is tuple_type and name in c] != []

    def says_of_itself(function, code, frame):
        """True when a library has a function say that it is of another place: hypothesis' stand for what they wrap, numpy's for what they
        call. The place is one of tests or of no file, or the library's own."""
        own, said = frame.f_code.co_filename, code.co_filename
        if not contains(own, "-packages/") or not is_filed(frame.f_code) or _type(said) is not _str or _type(function) is not function_type:
            return False
        before, _, rest = rpartition(own, "-packages/")
        is_own = begins(said, before + "-packages/" + partition(rest, "/")[0] + "/") or (begins(said, "<") and not begins(said, "<frozen "))
        if not (is_own or (begins(said, inside) and is_vouched(said))) or culprit(frame, beyond_imports=False) is not None:
            return False
        return is_moved(code, function.__code__, is_own)

    def has_ctypes(frame):
        """True when the module of a frame's code has anything of ctypes: else other code gave it the function it
        calls."""
        code, space = frame.f_code, frame.f_globals
        if id_of(code) not in users:
            homes = [members(v if _subclass(_type(v), _type) else _type(v)).get("__module__") for v in values(space)]
            users[id_of(code)] = code, bool(libraries & space.keys() or [h for h in homes if _type(h) is _str and h in libraries])
        return users[id_of(code)][1]

    def library_user(frame):
        """The code that uses ctypes, where the harness does not vouch for it. Importing it is no use."""
        while frame is not None and ends(frame.f_code.co_filename, "/ctypes/__init__.py"):
            frame = frame.f_back
        if frame is None:
            return None
        is_importing = begins(frame.f_code.co_filename, "<frozen importlib")
        is_told = is_filed(frame.f_code) and (is_importing or has_ctypes(frame) or calls(frame.f_code, "ctypes"))
        return None if is_told else culprit(frame) or place(frame)

    def place(frame):
        return "%s:%d" % (short(frame.f_code.co_filename), frame.f_lineno)

    def calls(code, name):
        """By a name, by that of an argument, or of a variable around it: def caller(currentframe=inspect.currentframe)."""
        return names(code, name) or name in code.co_varnames or name in code.co_freevars

    def names(code, name):
        return name in code.co_names or name in [c for c in code.co_consts if _type(c) is _str]

    def indirect(frame, name, of_library):
        """Code that does what it has no word for: an object it was given did it. A library has its own words for
        some of it; exec() since the session began comes from no file."""
        code = frame.f_code
        file = code.co_filename
        if not is_left(code):
            return place(frame)
        if calls(code, name) or not (begins(file, inside) or of_library):
            return None
        if name in ("settrace", "setprofile") and ([t for t in tracers if contains(file, t)] or code.co_name == name or names(code, "enable")):
            return None
        return place(frame) + ", which does not name it"

    def made(code, frame):
        """Code that no file has is its maker's: the caller of exec() or eval(), and all that led there. One that runs any text is none:
        code can have it called where nothing of it is on the stack."""
        said = frame.f_code.co_names
        if _type(code) is code_type and _type(code.co_filename) is _str and begins(code.co_filename, "<") and \
                not ends(frame.f_code.co_filename, runners) and ("exec" in said or "eval" in said) and culprit(frame, beyond_imports=False) is None:
            return learn(code, True)
        return loaded_first(code, frame) if is_first else None

    def loaded_first(code, frame):
        """While all code that has run is of the image, what Python loads of a file is what the file has: plugins of pytest, most of all."""
        nonlocal is_first
        file = code.co_filename if _type(code) is code_type else None
        is_first = _type(file) is _str and not begins(file, inside) and frame.f_code.co_name == "_call_with_frames_removed" and \
            begins(frame.f_code.co_filename, "<frozen importlib") and is_vouched(file) and is_loaded_as(file, frame.f_locals.get("args"))
        if is_first:
            learn(code)

    def is_loaded_as(file, args):
        """Code without a source can say that it is of any file; its module says which file it was loaded from."""
        space = args[1] if _type(args) is tuple_type and len_of(args) == 2 else None
        return _type(space) is dict_type and space.get("__file__") == file

    def loads_library(frame):
        """True while Python loads a library in C that neither a patch nor the run brought: those of Cython make code objects for
        the frames of their errors."""
        if not begins(frame.f_code.co_filename, "<frozen importlib") or frame.f_code.co_name != "_call_with_frames_removed":
            return False
        given = frame.f_locals.get("args")
        thing = given[0] if _type(given) is tuple_type and given else None
        space = names_of_module(thing) if _type(thing) is module_type else members_of(thing)
        file = space.get("__file__", space.get("origin"))
        return _type(file) is _str and ends(file, ".so") and is_vouched(file)

    def members_of(thing):
        """What an object of importlib holds; no code of it runs for that."""
        return plain(thing, "__dict__") if _type(thing) is spec_type else {}

    def is_of_python(code):
        file = code.co_filename
        return is_filed(code) and not begins(file, inside) and not contains(file, "-packages/")

    def is_function_of_run(value):
        """True for what can be called and is of code that a patch or the run brought."""
        kind = _type(value)
        if kind is function_type:
            return not is_code(value.__code__)
        if kind is builtin or kind is module_type or _subclass(kind, _type):
            return False
        file = file_of(value)
        return file is not None and not is_vouched(file)

    def names_said(space):
        """By any code of a module that has this dict, and its classes."""
        said, todo = set_type(), [function_in(v) for v in _list(values(space))]
        while todo:
            one = todo.pop()
            if _type(one) is function_type and one.__globals__ is space:
                todo.append(one.__code__)
            elif _type(one) is code_type:
                said.update(one.co_names)
                todo += [c for c in one.co_consts if _type(c) is code_type]
            elif _subclass(_type(one), _type) and members(one).get("__module__") == space.get("__name__"):
                todo += [function_in(v) for v in _list(values(dict_type(members(one))))]
        return said

    def callee_of_run(frame):
        """The name of a function that a library calls, which may hand it a frame, and that is another's now."""
        space = frame.f_globals
        if id_of(space) not in handed:
            handed[id_of(space)] = space, names_said(space)
        said = handed[id_of(space)][1]
        for name in [n for n in said if n in space and n not in handed_none]:
            value = space[name]
            if is_function_of_run(value):
                return name
            held = names_of_module(value) if _type(value) is module_type else members(value) if _subclass(_type(value), _type) else nothing
            for inner in [n for n in said if n in held]:
                if is_function_of_run(function_in(held[inner])):
                    return name + "." + inner
        return None

    def function_in(value):
        return value.__func__ if _type(value) in (static_type, class_type) else value

    def one_given(frame):
        """The frame of code that goes through the frames which a generator of traceback gives."""
        last = frame
        while frame is not None and ends(frame.f_code.co_filename, "/traceback.py"):
            last, frame = frame, frame.f_back
        return frame if last.f_code.co_flags & generator else None

    def kind_of(event, args, frame):
        """(kind or None, what it would be named by, the frame it is about)"""
        name = event.rpartition(".")[2]
        if event in ("sys._getframe", "object.__getattr__") and ends(frame.f_code.co_filename, handing) and is_of_python(frame.f_code):
            given_to = one_given(frame)
            if given_to is not None:
                return "frame_search", frame.f_code.co_name, given_to
            strange = callee_of_run(frame)
            if strange is not None:
                found("frame_search", "%s, to which %s may hand a frame" % (strange, short(frame.f_code.co_filename)))
        given = [g for g in givers if ends(frame.f_code.co_filename, g[0]) and frame.f_code.co_name == g[1]]
        if given and (event == "sys._getframe" or event == "object.__getattr__" and args[1] != "f_back"):
            return "frame_search", "currentframe" if given[0][1] == "<lambda>" else given[0][1], frame.f_back
        if event == "sys._getframe":
            while frame is not None and ends(frame.f_code.co_filename, "/inspect.py") and is_of_python(frame.f_code):
                name = frame.f_code.co_name  # currentframe(), or stack(), which asks it
                frame = frame.f_back
            return "frame_search", name, frame
        if event == "object.__getattr__":
            return "frame_search", args[1], frame
        if event == "object.__setattr__":
            return "code_change" if changes_code(args, frame) else None, args[1], frame
        if event == "gc.set_debug":  # which the harness's own function raises (csbx_ways.py)
            frame = frame.f_back
        return "memory" if event in opening else peeping(event), name, frame

    def audited(event, args, frame):
        """An audit event: code that looks for the secrets of the core is told first."""
        if event == "exec":
            made(args[0], frame)
            return names_native(args[0], frame) if _type(args[0]) is code_type else None
        if event == "import":
            name = native_name(args)
            if name is not None:
                imports_native(name, frame)
            if args[1] is None:
                return None
        if event == "os.putenv":
            who = culprit(frame, False, is_old)
            return found("library_modified", "the environment's PYTHONOPTIMIZE, which %s sets" % who) if who else None
        kind, name, frame = kind_of(event, args, frame)
        if kind is None or frame is None:
            return None
        if kind == "trace" and event != "sys.addaudithook":
            traces(args, frame)
        if begins(event, "marshal."):
            who = loads(event, args, frame)
        elif event == "function.__new__":
            who = None if is_left(frame.f_code) or is_compiled(args[0]) else place(frame)
        elif event == "code.__new__":
            is_told = is_left(frame.f_code) and ([w for w in makers if names(frame.f_code, w)] or loads_library(frame))
            who = None if is_told else place(frame)
        elif event == "import":
            who = None if is_vouched(args[1]) else short(args[1])
        elif begins(event, "ctypes."):
            who = library_user(frame)
        elif event in ("sys._getframe", "object.__getattr__"):
            strange = indirect(frame, name, event == "object.__getattr__")  # C code of a library reads what it is told to
            who = (culprit(frame, beyond_imports=False) or strange) if strange or not is_old(frame.f_code) else None
        else:
            who = culprit(frame, False, *[is_old] if kind in direct else ()) or \
                (indirect(frame, name, True) if kind in direct or event in opening or
                 kind == "interpreter" and is_for_others(frame, name) else None)
        if who is not None:
            found(kind, "%s by %s" % (event, who))
        return None
    return audited, check_tracers
