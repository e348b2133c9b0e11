# SPDX-License-Identifier: Apache-2.0
"""Audit events: what code does that could lead to what the harness hides, told before it is done.

make_audit() returns a function of an event and the frame in which it happened. It is a function of the core, and calls
nothing that is not bound here.
"""
import os
import sys
import types

PEEPING = {"sys._current_frames": "frame_search", "sys._current_exceptions": "frame_search",
           "gc.get_objects": "heap_search", "gc.get_referrers": "heap_search", "gc.get_referents": "heap_search",
           "ctypes.addressof": "memory", "ctypes.cdata": "memory", "ctypes.string_at": "memory",
           "ctypes.wstring_at": "memory", "ctypes.memoryview_at": "memory", "ctypes.PyObj_FromPtr": "memory",
           "ctypes.cdata/buffer": "memory", "ctypes.dlopen": "memory", "ctypes.dlsym": "memory",
           "ctypes.dlsym/handle": "memory", "ctypes.call_function": "memory", "import": "memory",
           "sys.settrace": "trace", "sys.setprofile": "trace", "sys.monitoring.register_callback": "trace",
           "code.__new__": "code_change", "cpython.PyInterpreterState_New": "interpreter"}
DIRECT = ("heap_search", "frame_search", "trace", "code_change")  # a library that does these for others is known by name
WRITTEN = ("__code__", "__defaults__", "__kwdefaults__", "__bases__", "__class__")  # what makes it something else
FRAMES = ("gi_frame", "cr_frame", "ag_frame", "tb_frame", "f_back")
OTHERS = ("exec", "sys._getframe", "object.__getattr__", "object.__setattr__", "open")
MAKERS = ("replace", "CodeType", "code", "__new__")  # words for making a code object
TRACERS = ("/coverage/", "/pydevd")  # they trace from C, by a method of another name


def make_filter():
    """is_heard(event, args): whether it is one to look at; most are not, and this is asked of each."""
    watched, others, written, frames = frozenset(PEEPING), frozenset(OTHERS), frozenset(WRITTEN), frozenset(FRAMES)
    _type, _str, _bytes, plain, decode, begins, ends = type, str, bytes, str.__str__, os.fsdecode, str.startswith, str.endswith
    stat, readlink, error, _subclass = os.stat, os.readlink, (OSError, ValueError), issubclass
    try:
        proc = stat("/proc/self/stat").st_dev
    except OSError:
        proc = None

    def is_memory(path):
        """By name, and by what links lead to. A name relative to another directory is judged by itself."""
        kind = _type(path)
        path = plain(path) if _subclass(kind, _str) else decode(path) if kind is _bytes else None
        if path is None:
            return False
        if ends(path, ("mem", "pagemap")) and (begins(path, "/proc/") or not begins(path, "/")):
            return True
        try:
            there = stat(path)
            if there.st_dev != proc:
                return False
            for _ in range(40):
                if ends(path, ("/mem", "/pagemap")):
                    return True
                path = readlink(path)
        except error:
            pass
        return False

    def is_heard(event, args):
        if event == "open":
            return is_memory(args[0])
        if event == "import":
            return args[1] is not None
        if event == "object.__getattr__":
            return args[1] in frames
        if event == "object.__setattr__":
            return args[1] in written
        return event in watched or event in others
    return is_heard


def make_audit(vouch, found, repo):
    """vouch: is_code, is_filed, is_vouched, learn, culprit and short of the core."""
    is_code, is_filed, is_vouched, learn, culprit, short = vouch
    peeping, direct, tracers, inside = PEEPING.get, DIRECT, TRACERS, repo + "/"
    _type, _str, _subclass, begins, ends, contains = type, str, issubclass, str.startswith, str.endswith, str.__contains__
    members, function_type, module_type = type.__dict__["__dict__"].__get__, types.FunctionType, types.ModuleType
    names_of_module, modules = types.ModuleType.__dict__["__dict__"].__get__, sys.modules
    code_type, id_of, values, users, libraries, makers = types.CodeType, id, dict.values, {}, frozenset(("ctypes", "_ctypes")), MAKERS

    def file_of(thing):
        """Where a function, a module, a class or else an object's class is from; no code of it runs for that."""
        kind = _type(thing)
        if kind is function_type:
            return thing.__code__.co_filename
        if kind is not module_type:
            name = members(thing if _subclass(kind, _type) else kind).get("__module__")
            thing = modules.get(name) if _type(name) is _str else None
        file = names_of_module(thing).get("__file__") if _type(thing) is module_type else None
        return file if _type(file) is _str else None

    def changes_code(args, frame):
        """Of something else's: with what it brought, a patch may do as it likes, and namedtuple() sets defaults."""
        if args[1] != "__code__" and is_filed(frame.f_code) and names(frame.f_code, args[1]):
            return False
        file = file_of(args[0])
        return file is None or is_vouched(file)

    def has_ctypes(frame):
        """Whether the module of a frame's code has anything of ctypes: else it was given what it calls."""
        code, space = frame.f_code, frame.f_globals
        if id_of(code) not in users:
            homes = [members(v if _subclass(_type(v), _type) else _type(v)).get("__module__") for v in values(space)]
            users[id_of(code)] = code, bool(libraries & space.keys() or [h for h in homes if _type(h) is _str and h in libraries])
        return users[id_of(code)][1]

    def library_user(frame):
        """The code that uses ctypes, where the harness does not vouch for it. Importing it is no use."""
        while frame is not None and ends(frame.f_code.co_filename, "/ctypes/__init__.py"):
            frame = frame.f_back
        if frame is None or (is_filed(frame.f_code) and (begins(frame.f_code.co_filename, "<frozen importlib") or has_ctypes(frame))):
            return None
        return culprit(frame) or place(frame)

    def place(frame):
        return "%s:%d" % (short(frame.f_code.co_filename), frame.f_lineno)

    def names(code, name):
        return name in code.co_names or name in [c for c in code.co_consts if _type(c) is _str]

    def indirect(frame, name, of_library):
        """Code that does what it has no word for: an object it was given did it. A library has its own words for
        some of it; exec() since the session began comes from no file."""
        code = frame.f_code
        file = code.co_filename
        if not is_filed(code):
            return place(frame)
        if names(code, name) or not (begins(file, inside) or of_library):
            return None
        if name in ("settrace", "setprofile") and ([t for t in tracers if contains(file, t)] or code.co_name == name or names(code, "enable")):
            return None
        return place(frame) + ", which does not name it"

    def made(code, frame):
        """Code that no file has is its maker's: who says exec() or eval(), and all that led there."""
        said = frame.f_code.co_names
        if _type(code) is code_type and _type(code.co_filename) is _str and begins(code.co_filename, "<") and \
                ("exec" in said or "eval" in said) and culprit(frame, beyond_imports=False) is None:
            learn(code, True)

    def kind_of(event, args, frame):
        """(kind or None, what it would be named by, the frame it is about)"""
        name = event.rpartition(".")[2]
        if event == "sys._getframe":
            if ends(frame.f_code.co_filename, "/inspect.py"):
                frame, name = frame.f_back, "currentframe"
            return "frame_search", name, frame
        if event == "object.__getattr__":
            return "frame_search", args[1], frame
        if event == "object.__setattr__":
            return "code_change" if changes_code(args, frame) else None, args[1], frame
        return "memory" if event == "open" else peeping(event), name, frame

    def audited(event, args, frame):
        """An audit event: code that looks for the secrets of the core is told first."""
        if event == "exec":
            return made(args[0], frame)
        kind, name, frame = kind_of(event, args, frame)
        if kind is None or frame is None:
            return None
        if event == "code.__new__":
            who = None if is_filed(frame.f_code) and [w for w in makers if names(frame.f_code, w)] else place(frame)
        elif event == "import":
            who = None if is_vouched(args[1]) else short(args[1])
        elif begins(event, "ctypes."):
            who = library_user(frame)
        elif event in ("sys._getframe", "object.__getattr__"):
            strange = indirect(frame, name, False)
            who = (culprit(frame, beyond_imports=False) or strange) if strange or not is_code(frame.f_code) else None
        else:
            who = culprit(frame, beyond_imports=False) or (indirect(frame, name, True) if kind in direct else None)
        if who is not None:
            found(kind, "%s by %s" % (event, who))
        return None
    return audited
