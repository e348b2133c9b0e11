# SPDX-License-Identifier: Apache-2.0
"""Tells if the tests themselves ended a test by skip() and the like, or code that they called did."""
import builtins
import functools
import sys
import types

from csbx_texts import has_word

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

WORDS = ("skip", "xfail", "exit", "require", "needs", "need_")  # who raises one is named so, or calls who is
GIVERS = ("getfixturevalue",)  # what a test calls and that may skip it, by the fixture that it is asked for
DEPTH_MAX = 32
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement


def own_word(name):
    """What a test's own code has a word for when it makes such an exception itself."""
    return "xfail" if name == "XFailed" else "exit" if name == "Exit" else "skip"


def names_of(code):
    return {w.lower() for w in code.co_names + code.co_freevars}


TRACEBACK = BaseException.__dict__["__traceback__"].__get__
PAUSED = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR: nothing leads back from one that has ended


def frames_of(error):
    """(code, its globals) of what an exception came through, from the outermost on, and None before a frame that none of those has
    called: a traceback can be made of any frames. pytest raises that of a fixture again, for each test."""
    found, where, seen = [], TRACEBACK(error) if issubclass(type(error), BaseException) else None, []
    while where is not None:
        frame = where.tb_frame
        code = frame.f_code
        caller = frame.f_back
        while caller is not None and caller.f_code.co_filename.startswith("<frozen importlib"):
            caller = caller.f_back  # Python leaves these out of a traceback
        if seen and not code.co_flags & PAUSED and code.co_name != "pytest_fixture_setup" and not any(s is frame or s is caller for s in seen):
            found.append(None)
        found.append((code, frame.f_globals))
        seen.append(frame)
        where = where.tb_next
    return found


def says_its_class(error, members=type.__dict__["__dict__"].__get__, bases=type.__dict__["__mro__"].__get__):
    """True for an exception whose class answers for itself what it is."""
    return any(w in members(b) for b in bases(type(error)) if b.__flags__ & HEAP_TYPE for w in ("__class__", "__getattribute__"))


def parts_of(value):
    """Functions and objects that a function hands on to: what it wraps, closes over, is bound from."""
    kind = type(value)
    if kind in (types.MethodType, staticmethod, classmethod):
        return [value.__func__]
    if kind is functools.partial:
        return [value.func]
    if kind is not types.FunctionType:
        return []
    file, wrapped = value.__code__.co_filename, value.__dict__.get("__wrapped__")
    given = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    is_told = value.__closure__ or "-packages/" in file or file.startswith("<") or any([wrapped is g for g in given])
    found = [wrapped] if is_told else []  # else it says so, and has no way to call it
    for cell in value.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            pass
    return found


def leads_to(value, target):
    """True when a function is a wrapper of another, as far as that can be seen."""
    todo, seen = [value], []
    while todo and len(seen) < DEPTH_MAX:
        one = todo.pop()
        if one is target:
            return True
        if not any(one is s for s in seen):
            seen.append(one)
            todo += parts_of(one)
    return False


def codes_in(value):
    """Code of a function, with what it wraps, or of a class's or object's methods."""
    found = [v for v in [value] + parts_of(value) if type(v) is types.FunctionType]
    kind = value if issubclass(type(value), type) else type(value)
    if not found and kind.__module__ != "builtins":
        found = [v for c in kind.__mro__ for v in vars(c).values() if type(v) is types.FunctionType]
    return [f.__code__ for f in found]


def make_judge(ask, repo, kinds, bound, text):
    """judge(error, frames): says where one of the kinds was raised by others than the tests. frames: (code, its globals)
    from the outermost on.
    False: none of the frames is of the tests. None among the frames: what frames_of() has for one that was put there. bound(text(file)): the names that a file imports, with what modules they are of."""
    words, own_word_of, named_in, code_lists, givers, function_type = WORDS, own_word, names_of, codes_in, GIVERS, types.FunctionType
    has = has_word

    def imports_of(file):
        known = ask("known").setdefault("imported", {})
        if file not in known:
            known[file] = bound(text(file))
        return known[file]

    def imported(code, space, are_of_repo_too=False):
        """The functions of imported libraries that the code names."""
        known = imports_of(code.co_filename)
        for name in set(code.co_names + code.co_freevars) & set(known):
            value = space.get(name)
            for home, attribute in known[name]:
                module = sys.modules.get(home)
                of = getattr(module, "__file__", None)
                if type(module) is not types.ModuleType or \
                        (isinstance(of, str) and ((of.startswith(repo + "/") and not are_of_repo_too) or not ask("vouched", of))):
                    continue
                if value is module:
                    for inner in code.co_names:
                        if inner in vars(module):
                            yield vars(module)[inner]
                elif attribute and value is vars(module).get(attribute):
                    yield value

    def own(code, space):
        """The functions and objects that the tests' file itself has names for, beside what it imports, and that the code names."""
        known = ask("known")["imported"].get(code.co_filename, {})
        for name in set(code.co_names + code.co_freevars) - set(known):
            if type(space.get(name)) is function_type:
                yield space[name]

    def is_by_patch(code, space, callee):
        """True where a file has a function by a name that it imports from a module that a patch or the run changed."""
        for name, homes in imports_of(code.co_filename).items():
            if name in code.co_names and name != callee.co_name and any([c is callee for c in code_lists(space.get(name))]):
                files = [getattr(sys.modules.get(home), "__file__", None) for home, _ in homes]
                if any([isinstance(f, str) and not ask("vouched", f) for f in files]):
                    return True
        return False

    def names_callee(code, space, callee):
        """True where old code of the repository may call other such code by itself: a patch can have given it the place of what the code
        does name, as a function that it imports, or as what its operators call."""
        name, variables = callee.co_name, code.co_varnames + code.co_cellvars + code.co_freevars
        if is_by_patch(code, space, callee):
            return False
        if name in code.co_names + variables or name[:1] == "<" or name[:2] == "__" == name[-2:] or code.co_name[:1] == "<":
            return True
        values = [v for found in (imported(code, space, True), own(code, space)) for v in found]
        if any([c is callee for v in values for c in code_lists(v)]):
            return True
        return variables != () and any([has(text(f), name) for f in [code.co_filename] + ask("known")["conftests"]])

    def calls_for_it(code, space, callees, own_word):
        """True when code of a test names what ended it: a function that was called and that has a word for that as its name, or one
        of a library. A test that called nothing made the exception itself, and has the word for that one."""
        names = named_in(code)
        if not callees:
            return any(own_word in n for n in names)
        called = {c.co_name.lower() for c in callees}
        if any(n in called and (n in givers or any(w in n for w in words)) for n in names):
            return True
        ids = set(map(id, callees))
        return any(id(c) in ids for values in (imported, own) for value in values(code, space) for c in code_lists(value))

    def look_at_callers(inner):
        for (callee, _), (code, space) in zip(inner, inner[1:]):
            if "-packages/" not in callee.co_filename + code.co_filename and not names_callee(code, space, callee):
                ask("found", "outcome_call", "%s ends a test, called by %s, which does not name it" % (callee.co_name, code.co_name))

    def judge(error, frames):
        if not isinstance(error, kinds):
            return True
        callees, name, inner = [], type(error).__name__, frames[::-1]
        for at, frame in enumerate(inner):
            if inner[at + 1:at + 2] == [None]:
                ask("found", "outcome_call", "%s has a traceback that is not its own" % name)
            if frame is None:
                continue
            code, space = frame
            if not ask("vouched", code):
                ask("found", "outcome_call", "%s in %s" % (name, code.co_filename))
            elif code.co_filename.startswith(repo + "/") and not ask("strangers", [code]):
                if not calls_for_it(code, space, callees, own_word_of(name)):  # else what it called of libraries is not who did it
                    ask("found", "outcome_call", "%s in %s, which does not name it" % (name, code.co_filename))
                callers = [f[0] for f in inner[at + 1:] if f is not None]
                look_at_callers([f for f in inner[at:] if f is not None and f[0].co_filename.startswith(repo + "/") and ask("vouched", f[0])])
                for other in [c for c in callers if not ask("vouched", c)]:
                    ask("found", "outcome_call", "%s in %s, which %s called" % (name, code.co_filename, other.co_filename))
                return True
            callees.append(code)
        return False
    return judge
