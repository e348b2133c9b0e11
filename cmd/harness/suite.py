# SPDX-License-Identifier: Apache-2.0
# Runs the tests that asserting code has, as pytest does, and those of unittest. What pytest does that is not done here is refused
# before a test runs: a test that is passed over in silence would have passed. For check.py, which compiles it where there are tests.
GENERATORS = 0x20 | 0x200  # flags of code
PASSED, SKIPPED, EXPECTED = range(3)
BOUND_METHOD = type(Teller().put)


def give_up(why):
    """It is the check that is wrong: no verdict on the snippet."""
    flush()
    tell(b"B", literal([why]))
    posix._exit(1)


def cannot_run(why):
    give_up("it cannot be run as it is: " + why)


def is_of_line(file):
    """Of a module: it lies in no directory of Python's, and is one of the files beside the check."""
    if type(file) is not str or file[:1] != "/" or file[-3:] != ".py":
        return False
    return file == CHECK or "-packages/" not in file and not file.startswith(__import__("os").__file__.rpartition("/")[0] + "/")


def texts_written(known=[]):
    """By the check itself: another one may be the snippet's."""
    if not known:
        need("MADE")
        need("BROUGHT")
        files = {CHECK} | {space_of(module).get("__file__") for module in list(sys.modules.values())}
        nodes = [node for file in files if is_of_line(file) for node in all_of(compile(source_of(file), file, "exec", 0x400, True))]  # PyCF_ONLY_AST
        known.append({found for node in nodes for found in (vars(node).get("value"), vars(node).get("s")) if type(found) is str})
    return known[0]


def is_its_own(value):
    """Of a function, or a class: the check's text has defined it, or that of a file beside it."""
    if isinstance(value, type):
        need("TOLD")
        module = value.__module__
        return type(module) is str and (module in modules_of_check() or is_of_line(space_of(sys.modules.get(module)).get("__file__")))
    code = code_of(value)
    return code is None or code.co_filename == CHECK or is_of_line(code.co_filename)


def is_of_pytest_itself(value, *names):
    """And no value of the snippet that looks like it: a text of a mark is evaluated."""
    marks = sys.modules.get("_pytest.mark.structures")
    return any(type(value) is vars(marks).get(name) for name in names) if marks else False


def marks_of(*owners):
    found = []
    for owner in owners:
        marks = getattr(owner, "pytestmark", None)
        found += marks if type(marks) in (list, tuple) else [marks]
    return [getattr(mark, "mark", mark) for mark in found if is_of_pytest_itself(mark, "Mark", "MarkDecorator")]


def code_of(function):
    function = getattr(function, "__func__", function)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return getattr(function, "__code__", None)


def required_names(function):
    """Of the parameters that have no default, without that of a bound method's object."""
    code = code_of(function)
    if code is None:
        return []
    bound = getattr(function, "__self__", None) is not None
    names = code.co_varnames[:code.co_argcount][bound:]
    plain = getattr(function, "__func__", function)
    patched = len(getattr(plain, "patchings", ()))  # what mock.patch() gives comes first
    names = names[patched:len(names) - len(getattr(plain, "__defaults__", None) or ())]
    only = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    return list(names) + [name for name in only if name not in (getattr(plain, "__kwdefaults__", None) or {})]


def parameter_sets(mark, what):
    names = mark.args[0] if mark.args else mark.kwargs["argnames"]
    if not texts_written().issuperset([names] if isinstance(names, str) else names):
        CALLER.fail("%s is parametrized by names that the check does not write out" % what)
    takes_bare = isinstance(names, str)  # and only then, where it is one name
    names = [n.strip() for n in names.split(",") if n.strip()] if takes_bare else list(names)
    if mark.kwargs.get("indirect"):
        cannot_run("%s is parametrized by fixtures (indirect), which are not made here" % what)
    for values in mark.args[1] if len(mark.args) > 1 else mark.kwargs["argvalues"]:
        marks = []
        if is_of_pytest_itself(values, "ParameterSet"):
            marks, values = marks_of(type("Owner", (), {"pytestmark": list(values.marks)})), values.values
        elif len(names) == 1 and takes_bare:
            values = [values]
        if len(names) != len(values):
            raise ValueError("%s is parametrized by %d names and %d values" % (what, len(names), len(values)))
        yield dict(zip(names, values)), marks


def variants(function, marks, what):
    """(arguments, marks) for each call of a test."""
    found = [({}, [])]
    for mark in marks:
        if mark.name == "parametrize":
            sets = list(parameter_sets(mark, what))
            found = [(dict(a, **b), m + n) for a, m in found for b, n in sets]
        elif mark.name == "usefixtures" and mark.args:
            cannot_run("%s wants fixtures, which are not made here" % what)
    for arguments, _ in found:
        missing = [n for n in required_names(function) if n not in arguments]
        if missing:
            cannot_run("%s takes %s: fixtures are not made here" % (what, ", ".join(missing)))
    return found


def condition_of(mark, space):
    """Of skipif and xfail; without one it holds."""
    conditions = list(mark.args) or ([mark.kwargs["condition"]] if "condition" in mark.kwargs else [True])
    if not texts_written().issuperset([c for c in conditions if isinstance(c, str)]):
        CALLER.fail("a mark has a text for its condition that the check does not write out")
    return any(eval(c, dict(space, sys=sys, os=__import__("os"))) if isinstance(c, str) else bool(c) for c in conditions)


def is_skipped(marks, space):
    return any(mark.name == "skip" or mark.name == "skipif" and condition_of(mark, space) for mark in marks)


def exception_of(module, name):
    """pytest.skip.Exception, and the like."""
    return getattr(getattr(sys.modules.get(module), name, None), "Exception", ())


def kinds_of_skip():
    kinds = exception_of("pytest", "skip"), getattr(sys.modules.get("unittest"), "SkipTest", ())
    return tuple(kind for kind in kinds if kind)


def run_one(call, marks, space, what):
    if is_skipped(marks, space):
        return SKIPPED
    expected = [mark for mark in marks if mark.name == "xfail" and condition_of(mark, space)]
    if any(mark.kwargs.get("run") is False for mark in expected):
        return SKIPPED
    try:
        call()
    except kinds_of_skip():
        return SKIPPED
    except exception_of("pytest", "xfail"):
        return EXPECTED
    except Exception as error:
        if any(isinstance(error, mark.kwargs.get("raises") or Exception) for mark in expected):
            return EXPECTED
        raise
    if any(mark.kwargs.get("strict") for mark in expected):
        raise AssertionError("%s passed, which was not expected" % what)
    return PASSED


def call_hook(owner, name, argument):
    """Calls setup_method() and the like, which may take what is tested."""
    function = getattr(owner, name, None) if not isinstance(owner, dict) else owner.get(name)
    if function is not None and is_of_check(function):
        awaited(function(*[argument] * bool(required_names(function))))


def set_up(owner, name, argument):
    """False: it skips all that it is for."""
    try:
        call_hook(owner, name, argument)
    except kinds_of_skip():
        return False
    return True


def is_test_class(name, kind, of_unittest):
    return name.startswith("Test") and isinstance(kind, type) and not issubclass(kind, of_unittest) and getattr(kind, "__test__", True)


def is_fixture(value):
    kind = type(value)
    of_pytest = vars(sys.modules.get("_pytest.fixtures", sys)).get("FixtureFunctionDefinition")
    return kind is PLAIN_FUNCTION and hasattr(value, "_pytestfixturefunction") or kind is of_pytest


def is_automatic(value):
    if not is_fixture(value):
        return False
    marker = getattr(value, "_pytestfixturefunction", None) or getattr(value, "_fixture_function_marker", None)
    return bool(getattr(marker, "autouse", True))


def is_test(name, value, takes_helpers):
    if not name.startswith("test") or type(value) not in (PLAIN_FUNCTION, BOUND_METHOD) or is_fixture(value):
        return False
    return getattr(value, "__test__", True) and (name.startswith("test_") and not takes_helpers or not required_names(value))


def function_behind(value):
    """As pytest looks for it, in a partial() and in what lru_cache() makes; None: there is none."""
    partial = vars(sys.modules.get("functools", sys)).get("partial")
    for _ in range(100):
        value = value.func if type(value) is partial else getattr(value, "__wrapped__", None) or getattr(value, "__func__", value)
        if type(value) is PLAIN_FUNCTION and not hasattr(value, "__wrapped__"):
            return value
    return None


def is_hidden_test(name, value, space):
    """pytest runs it, and here it is not known for one: it was made, and neither written by that name nor imported."""
    if getattr(value, "__test__", None) is True and not name.lower().startswith("test"):
        return True
    if not name.startswith("test") or isinstance(value, type) or is_fixture(value) or not getattr(value, "__test__", True):
        return False
    function = function_behind(value)
    if function is None or type(value) not in (PLAIN_FUNCTION, BOUND_METHOD):
        return function is not None
    is_made = function.__globals__ is space or value.__name__ != name or name.startswith("test_") and not required_names(value)
    return is_made and not is_its_own(value)


def has_hidden_tests(name, kind, of_unittest):
    """A class that was made, or is of a package."""
    if not isinstance(kind, type) or not is_test_class(name, kind, of_unittest) or is_its_own(kind) or has_own_making(kind):
        return False
    return any(each.startswith("test") and function_behind(getattr(kind, each, None)) for each in names_of_class(kind))


OF_PYTEST = frozenset("""tmp_path tmp_path_factory tmpdir tmpdir_factory capsys capfd caplog capsysbinary capfdbinary monkeypatch request recwarn
    cache pytestconfig record_property doctest_namespace""".split())  # fixtures


def wants_fixtures(name, value, space):
    """Beside check(): what takes nothing but fixtures and is named once in the text is no helper of it."""
    if not name.startswith("test") or type(value) is not PLAIN_FUNCTION or is_fixture(value) or not getattr(value, "__test__", True):
        return False
    wanted = required_names(value)
    if not wanted or not all(each in OF_PYTEST or is_fixture(space.get(each)) for each in wanted):
        return False
    need("BROUGHT")
    return times_written(source_of(CHECK).decode("utf-8", "replace"), name, "") == 1


def names_of_class(kind):
    """In the order of the text, those of the classes that it is made from first."""
    groups, seen = [], set()
    for base in kind.__mro__[:-1]:
        groups.insert(0, [name for name in vars(base) if name not in seen])
        seen.update(vars(base))
    return [name for group in groups for name in group]


def has_own_making(kind):
    return kind.__init__ is not object.__init__ or kind.__new__ is not object.__new__


class Suite(object):
    """The tests of a module, found before the first one runs."""

    def __init__(self, space, of_unittest, has_check):
        """has_check: check(candidate) was called, and functions with parameters are its helpers."""
        self.space, self.of_unittest, self.steps, self.outcomes, self.has_check = space, of_unittest, [], set(), has_check
        self.marks = marks_of(type("Module", (), {"pytestmark": space.get("pytestmark")}))
        own = [(name, value) for name, value in space.items() if is_of_check(value) and is_its_own(value)]
        for name, value in own:
            if is_automatic(value):
                cannot_run("%s is a fixture of all tests, which is not made here" % name)
        for name, value in [] if has_check else list(space.items()):
            if is_of_check(value) and (is_hidden_test(name, value, space) or has_hidden_tests(name, value, of_unittest)):
                cannot_run("%s is a test that was made, and is not written out" % name)
        for name, value in own if has_check else []:
            if wants_fixtures(name, value, space):
                cannot_run("%s takes %s: fixtures are not made here" % (name, ", ".join(required_names(value))))
        for name, value in own:
            if is_test(name, value, has_check and not marks_of(value)):
                self.steps.append(self.function(name, value))
            elif is_test_class(name, value, of_unittest):
                self.steps.append(self.of_class(value, [space.get("__name__")], self.marks))
            elif isinstance(value, type) and issubclass(value, of_unittest or ()):
                self.look_at_unittest(value)

    def check_code(self, function, what):
        code = code_of(function)
        if code is not None and code.co_flags & GENERATORS:
            cannot_run("%s is a generator: its assertions would not run" % what)

    def look_at_unittest(self, kind):
        for name in dir(kind):
            if name.startswith("test") and (marks_of(getattr(kind, name)) or marks_of(kind)):
                cannot_run("%s.%s has a mark of pytest and is a test of unittest" % (kind.__name__, name))
            if name.startswith("test"):
                self.check_code(getattr(kind, name), "%s.%s()" % (kind.__name__, name))

    def function(self, name, function):
        what = "%s()" % name
        self.check_code(function, what)
        marks = marks_of(function) + self.marks
        calls = variants(function, marks, what)

        def step():
            self.note_none(calls)
            for arguments, more in calls:
                self.run(self.space, "setup_function", "teardown_function", function, arguments, marks + more, what)
        return step

    def note_none(self, calls):
        """parametrize() with an empty list skips the test."""
        if not calls:
            self.outcomes.add(SKIPPED)

    def run(self, owner, setup, teardown, function, arguments, marks, what):
        def call():
            call_hook(owner, setup, function)
            try:
                awaited(function(**arguments))
            finally:
                call_hook(owner, teardown, function)
        self.outcomes.add(run_one(call, marks, self.space, what))

    def of_class(self, kind, path, marks):
        path, marks = path + [kind.__name__], marks_of(kind) + marks
        found = [(name, getattr(kind, name, None)) for name in names_of_class(kind)]
        found = [(name, value) for name, value in found if value is not None and is_of_check(value)]
        tests = [name for name, value in found if name.startswith("test") and function_behind(value) and getattr(value, "__test__", True)]
        if has_own_making(kind):
            if tests:
                cannot_run("%s has an __init__() or __new__() of its own, and is no class of tests for pytest" % kind.__name__)
            return lambda: None
        for name, value in found:
            if name in tests and (type(value) not in (PLAIN_FUNCTION, BOUND_METHOD) or not is_its_own(value)):
                cannot_run("%s.%s is a test that was made or comes from elsewhere, and is not written out" % (kind.__name__, name))
        return self.of_names(kind, [(name, value) for name, value in found if is_its_own(value)], path, marks)

    def of_names(self, kind, found, path, marks):
        methods, inner = [], []
        for name, value in found:
            if is_automatic(value):
                cannot_run("%s.%s is a fixture of all tests, which is not made here" % (kind.__name__, name))
            if name.startswith("test") and is_test(name, getattr(kind(), name), False):
                methods.append(self.method(kind, name, path, marks))
            elif is_test_class(name, value, self.of_unittest):
                inner.append(self.of_class(value, path, marks))

        def step():
            if not set_up(kind, "setup_class", kind):
                self.outcomes.add(SKIPPED)
                return
            try:
                for each in methods + inner:
                    each()
            finally:
                call_hook(kind, "teardown_class", kind)
        return step

    def method(self, kind, name, path, marks):
        what = "%s.%s()" % (".".join(path[1:]), name)
        method = getattr(kind(), name)
        self.check_code(method, what)
        marks = marks_of(method) + marks
        calls = variants(method, marks, what)

        def step():
            self.note_none(calls)
            for arguments, more in calls:
                tests = kind()  # each has its own
                self.run(tests, "setup_method", "teardown_method", getattr(tests, name), arguments, marks + more, what)
        return step

    def run_all(self):
        if not self.steps:
            return
        if not set_up(self.space, "setup_module", sys.modules["__main__"]):
            self.outcomes.add(SKIPPED)
            return
        try:
            for step in self.steps:
                step()
        finally:
            call_hook(self.space, "teardown_module", sys.modules["__main__"])


def has_run_all(program):
    """unittest.main() without an argument that names some tests."""
    return program is not None and getattr(program, "testNames", 1) is None and not getattr(program, "testNamePatterns", None)


def run_unittest(unittest, outcomes, program):
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = program.result if has_run_all(program) else unittest.TextTestRunner(stream=sys.stderr).run(suite)
    for _, text in result.failures + result.errors:
        kind, _, message = text.strip().rpartition("\n")[2].partition(": ")
        raise AssertionError(message if kind == "AssertionError" else "%s: %s" % (kind, message))
    if not result.wasSuccessful():
        raise AssertionError("an unexpected success")
    if result.testsRun > len(result.skipped) + len(result.expectedFailures):
        outcomes.add(PASSED)
    elif result.skipped or result.expectedFailures:
        outcomes.add(SKIPPED)


def run_tests(space, has_check, program):
    unittest = sys.modules.get("unittest")
    suite = Suite(space, unittest.TestCase if unittest else (), has_check)
    suite.run_all()
    if unittest:
        run_unittest(unittest, suite.outcomes, program)
    if suite.outcomes and PASSED not in suite.outcomes and not has_check:
        CALLER.fail("all tests of the check are skipped, or are expected to fail")  # which may be the snippet's doing
