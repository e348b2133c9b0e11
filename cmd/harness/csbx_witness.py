# SPDX-License-Identifier: Apache-2.0
"""Tells whether a test was called and came back by itself, and whether cases of unittest are as they were.

A test that has passed has come back from a call that the harness made. The harness compares that with the words of
reports, hooks and results.
"""
import builtins
import functools
import sys
import types
import unittest

from csbx_apart import set_apart
from csbx_defs import definitions_of
from csbx_defs import is_of_unittest as is_machinery_of
from csbx_texts import says

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

NO_MARKS = frozenset(("patch", "mock", "staticmethod", "classmethod", "property", "given", "parametrize"))  # decorators that mark nothing
TO_FAIL = ("__unittest_expecting_failure__", "todo")  # attributes by which unittest, and trial, expect a failure
COROUTINE = 0x80  # CO_COROUTINE
ASYNC = 0x100 | 0x200  # CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR


def function_of(thing):
    """A method's function; else itself."""
    try:
        return getattr(thing, "__func__", thing)
    except Exception:  # an object that finds out only now what it stands for
        return thing


def has_flag(thing, flags):
    return bool(getattr(getattr(function_of(thing), "__code__", None), "co_flags", 0) & flags)


def is_async(thing):
    """The caller gets something to wait for that the harness does not: that it came back says nothing."""
    return has_flag(thing, ASYNC)


def make_witness(ask, ends=()):
    """witnessed(test, function, case, name, level): a callable that does the same as the function and tells of it. level: how many wrappers
    are around it that have witnesses, too. ends: classes of exceptions by which tests end themselves, beside SkipTest. Nothing leads into it, but
    into that of a coroutine, which the core believes once for each call that it was told of before. An object of unittest that has it
    by a name has its own method again as soon as it is called: tests ask for it."""
    hide, name_of, update, skip = functools.lru_cache, function_of, functools.update_wrapper, unittest.SkipTest
    has, coroutine, apart, anything, bases = has_flag, COROUTINE, set_apart, BaseException, type.__dict__["__mro__"].__get__

    def names_of(error):
        return [b.__name__ for b in bases(type(error))]

    def witnessed(test, function, case=None, name=None, level=0):
        @apart
        def call(*args, **kwargs):
            ask("enter", test, level)
            if case is not None:
                case.__dict__[name] = function
            try:
                result = function(*args, **kwargs)
            except skip as error:  # unittest tells only what it says, before Python 3.11
                ask("known")["skipped"] = error
                if level:
                    ask("raise", test, level, names_of(error))
                raise
            except anything as error:
                if level or not isinstance(error, ends):
                    ask("raise", test, level, names_of(error))
                raise
            ask("return", test, level)
            return result

        @apart
        async def wait(*args, **kwargs):
            ask("enter", test, level)
            if case is not None:
                case.__dict__[name] = function
            try:
                result = await function(*args, **kwargs)
            except skip as error:
                ask("known")["skipped"] = error
                if level:
                    ask("raise", test, level, names_of(error))
                raise
            except anything as error:
                if level or not isinstance(error, ends):
                    ask("raise", test, level, names_of(error))
                raise
            ask("return", test, level)
            return result
        hidden = wait if has(function, coroutine) else hide(maxsize=0)(call)  # what is awaited has to be seen as that
        update(hidden, function)  # and with it __wrapped__, which led into it
        hidden.__func__ = name_of(function)
        if hasattr(function, "__self__"):
            hidden.__self__ = function.__self__
        return hidden
    return witnessed


def code_of(value):
    try:
        return getattr(function_of(value), "__code__", None)
    except Exception:
        return None


def make_cases(ask, repo, text_of):
    """(remember(class), look(case, name), is_marked(case, word)): what a class of tests, and an object of it, answers unittest with."""
    code, function_of_thing, plain = code_of, function_of, object.__getattribute__
    case_type, defined, no_marks = unittest.TestCase, definitions_of, NO_MARKS
    preparing = "setUp", "asyncSetUp"
    none, types_of, modules, text, has_words, is_machinery = object(), types, sys.modules, text_of, says, is_machinery_of

    def is_of_unittest(kind):
        return kind.__module__.partition(".")[0] in ("unittest", "builtins")

    def is_strange(value):
        """Something to call that code of a patch or of the run made."""
        value = function_of_thing(value)
        if type(value) is property:
            value = value.fget
        its = code(value)
        if its is not None:
            return not ask("vouched", its)
        kind = value if issubclass(type(value), type) else type(value)
        if not callable(value) and not hasattr(kind, "__get__"):
            return False
        file = getattr(modules.get(kind.__module__), "__file__", None)
        return kind.__name__ in ("partial", "partialmethod") or type(value) is types_of.BuiltinFunctionType or \
            (isinstance(file, str) and not ask("vouched", file))

    def is_put(case, key, value):
        """Something to call, of no file of the repository, for which the files of the tests have no words."""
        its = code(value)
        if not callable(value) or (its is not None and its.co_filename.startswith(repo + "/")):
            return False
        files = [getattr(modules.get(b.__module__), "__file__", None) for b in type(case).__mro__]
        return not any(isinstance(f, str) and f.startswith(repo + "/") and ask("vouched", f) and has_words(text(f), key) for f in files)

    def is_of_hypothesis(case, value):
        """While it runs a test, hypothesis has a subTest() that does nothing, and lets failures through; then unittest's own is back."""
        if type(value) is types_of.MethodType and value.__self__ is case and value.__func__ is vars(case_type)["subTest"]:
            return True
        helper = function_of_thing(value) if type(value) is types_of.MethodType else None
        if type(helper) is not types_of.FunctionType or not is_at(helper, "/contextlib.py", "helper"):
            return False
        inner = [c.cell_contents for c in helper.__closure__ or ()]
        return len(inner) == 1 and type(inner[0]) is types_of.FunctionType and is_at(inner[0], "-packages/hypothesis/core.py", "fake_subTest")

    def is_at(function, file, name):
        its = function.__code__
        return its.co_name == name and its.co_filename.endswith(file) and not its.co_filename.startswith(repo + "/") and not ask("strangers", [its])

    def remember(kind):
        cases = ask("known")["cases"]
        for base in kind.__mro__ if isinstance(kind, type) else ():
            if not is_of_unittest(base) and base not in cases:
                marks = {k: [w for w in getattr(v, "__dict__", ()) if w.startswith("__unittest_")] for k, v in vars(base).items() if code(v)}
                cases[base] = dict(vars(base), **{"": marks})
                look_at_marks(base, marks)
                assertions(kind, base)

    def look_at_marks(base, marks):
        """Tells of a mark of unittest on a class or a method for which the file has no decorator."""
        file = getattr(modules.get(base.__module__), "__file__", None)
        if not isinstance(file, str) or not file.startswith(repo + "/") or not ask("vouched", file) or b"__unittest_" in text(file):
            return
        filed = ask("known")["filed"]
        if file not in filed:
            filed[file] = defined(text(file))
        found, others = filed[file]
        of_class = decorators(found.get(base.__qualname__, ()))
        for key in [k for k, words in marks.items() if words] + ([""] if "__unittest_skip__" in vars(base) else []):
            dotted = base.__qualname__ + "." + key if key else base.__qualname__
            if dotted in found and dotted not in others and not of_class and not decorators(found[dotted]):
                ask("found", "outcome_call", "a mark of %s, which %s does not give it" % (dotted, file))

    def decorators(entries):
        names = [n or "?" for e in entries for n in e[5]]
        return [n for n in names if not no_marks & set(n.split("."))]

    def assertions(kind, base):
        """Tells of a patch that gives a class, of which tests are made, another way to assert than unittest's."""
        its = [(k, code(v)) for k, v in list(vars(base).items()) if type(k) is str and k.startswith(("assert", "fail", "run", "_call"))]
        for key, own in its if issubclass(kind, case_type) else ():
            if own is not None and hasattr(case_type, key) and not ask("vouched", own):
                ask("found", "test_replaced", "%s.%s is of %s" % (base.__name__, key, own.co_filename))

    def is_marked(case, word):
        """True when the tests themselves say so, by a decorator of a class or of a method."""
        cases, name = ask("known")["cases"], getattr(case, "_testMethodName", "")
        if is_of_unittest(type(case)):
            return True  # a module that could not be loaded is one
        own = [cases.get(b) for b in type(case).__mro__ if b.__module__ == type(case).__module__ or is_theirs(b)]
        return any(was.get(word) or word in was[""].get(name, ()) for was in own if was) or \
            word == "__unittest_skip__" and any([is_prepared_so(type(case), key, word) for key in preparing])

    def is_theirs(base):
        """True for a class of a file that no patch changed."""
        file = getattr(modules.get(base.__module__), "__file__", None)
        return isinstance(file, str) and ask("vouched", file)

    def is_prepared_so(kind, key, word):
        """True when what prepares each test of a class is skipped by a decorator, as its file says."""
        base = next((b for b in kind.__mro__ if key in vars(b)), object)
        file, was = getattr(modules.get(base.__module__), "__file__", None), ask("known")["cases"].get(base)
        if not was or word not in was[""].get(key, ()) or not isinstance(file, str) or not ask("vouched", file):
            return False
        entries = defined(text(file))[0].get("%s.%s" % (base.__qualname__, key), ())
        return any([(n or "").rpartition(".")[2].startswith("skip") for e in entries for n in e[5]])

    def look(case, name):
        cases = ask("known")["cases"]
        for base in type(case).__mro__:
            was = cases.get(base)
            for key, value in list(vars(base).items()) if was is not None else ():
                old = was.get(key, none)
                if value is not old and (is_machinery(type(case), key) or code(old) is not None) and \
                        (is_strange(value) or is_put(case, key, value)):
                    ask("found", "test_replaced", "%s.%s was replaced" % (base.__name__, key))
        try:
            space = plain(case, "__dict__")
        except AttributeError:
            return
        for key, value in list(space.items()):
            if key != name and is_machinery(type(case), key) and (is_strange(value) or is_put(case, key, value)) and \
                    not (key == "subTest" and is_of_hypothesis(case, value)):
                ask("found", "test_replaced", "%s of %s was replaced" % (key, type(case).__name__))
        equal = space.get("_type_equality_funcs")
        for value in list(equal.values()) if type(equal) is dict else ():
            if not isinstance(value, str) and is_strange(value):
                ask("found", "test_replaced", "how %s compares" % type(case).__name__)
        if type(equal) not in (dict, type(None)):
            ask("found", "test_replaced", "how %s compares" % type(case).__name__)
    return remember, look, is_marked
