# SPDX-License-Identifier: Apache-2.0
# Runs asserting code in a container of its own. Functions of the snippet that it calls run elsewhere: csbx carries the
# calls and the answers, as values: PROTOCOL.md.
CHECK, FUNCTION = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None


class CallFailed(BaseException):
    """A call that did not come about, or did not return. It says nothing that a check could expect of the snippet: no class of
    exceptions that is expected or handled includes it, and a check that has seen one has not passed."""
    __module__ = "builtins"


class RemoteError(Exception):
    """An exception of a type that is not built in."""


def refuse(self, *args, **kwargs):
    CALLER.fail("the snippet returned a %s, which cannot be judged" % object.__getattribute__(self, "kind"))


class Untold(type):
    """An abstract class (Iterable) asks a class what methods it has."""

    def __getattribute__(cls, name):
        if name in ("__mro__", "__dict__"):
            CALLER.fail("the snippet returned a value whose type cannot be judged")
        return type.__getattribute__(cls, name)


USES = """
    bool len length_hint iter next reversed contains getitem setitem delitem call enter exit aenter aexit aiter anext await int float
    complex index round trunc floor ceil abs neg pos invert bytes fspath lt le gt ge setattr delattr
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror
""".split()


def init_untold(self, kind, text):
    object.__setattr__(self, "kind", kind)
    object.__setattr__(self, "text", text)


def attribute_of_untold(self, name):
    if name != "__class__":  # which isinstance() looks at
        refuse(self)
    return object.__getattribute__(self, name)


def text_of_untold(self):
    return "<a %s that cannot be judged: %s>" % (object.__getattribute__(self, "kind"), object.__getattribute__(self, "text"))


# Stands for a value that cannot be told. It may be shown, kept, and compared: it equals nothing. Anything else would be told to
# asserting code as a TypeError or an AttributeError, which may be what it expects of the snippet. As a text it is none that the value
# itself could be: only its repr() is known.
Missing = Untold("Missing", (object,), dict({"__%s__" % name: refuse for name in USES}, __init__=init_untold, __getattribute__=attribute_of_untold,
                                            __repr__=lambda self: object.__getattribute__(self, "text"), __str__=text_of_untold,
                                            __format__=lambda self, how: refuse(self) if how else text_of_untold(self)))


def callable_if_told(found, is_callable=callable):
    return refuse(found) if type(found) is Missing else is_callable(found)


# Raised by what is called while something else iterates (map, next) they would end that in silence.
NOT_RAISED = (StopIteration, StopAsyncIteration)


def make_unlike(kind, bases, name, message):
    """One of a class whose objects are not made of a message alone; more than that is not told of it."""
    told = type(name, bases, {"__module__": "builtins", "__init__": lambda self, *args: None, "__str__": lambda self: message})
    try:
        error = told.__new__(told)
    except TypeError:  # a group, which is never empty
        return told.__new__(told, message, [RemoteError("not told")])
    error.args = (message,)
    return error


def make_error(name, base, message):
    """One that is built in is raised as itself, one that derives from such a one as both."""
    import builtins
    kind = getattr(builtins, base or name, None)
    if not isinstance(kind, type) or not issubclass(kind, BaseException) or issubclass(kind, NOT_RAISED):
        kind = Exception
    is_exception = issubclass(kind, Exception)  # SystemExit is none, which no `except Exception` handles
    try:
        if not is_exception:
            return (type("RemoteError", (kind,), {"__module__": "builtins"}) if base else kind)(message)
        if kind is not Exception and not base:
            return kind(message)
        message = "%s: %s" % (name, message) if message else name
        return RemoteError(message) if kind is Exception else type("RemoteError", (RemoteError, kind), {})(message)
    except TypeError:
        return make_unlike(kind, (RemoteError, kind) if base and is_exception else (kind,), "RemoteError" if base else name, message)


class Caller(object):
    """Calls, one after the other. They are carried in a thread of their own: no handler of a signal runs there, and what one
    raises in a thread that waits leaves no half of a call behind. An answer has the number of its question."""

    def __init__(self, threads):
        self.new_lock, self.owner, self.number, self.failed = threads.allocate_lock, posix.getpid(), 0, None
        self.turn, self.waiting, self.work = threads.allocate_lock(), [], threads.allocate_lock()
        self.work.acquire()
        threads.start_new_thread(self.carry_all, ())

    def carry(self, question):
        self.number += 1
        number = self.number
        send(b"Q", number, question)
        while True:
            kind, of, payload = receive_frame()
            if kind == b"A" and of == number:
                try:
                    return value_of(payload)
                except Exception as error:  # a set of lists, from a program that writes its answers by hand
                    return ["F", "what it returned is no value: %s" % error]

    def carry_all(self):
        while True:
            self.work.acquire()
            while self.waiting:
                question, answers, is_done = self.waiting.pop(0)
                try:
                    answers.append(self.carry(question))
                except BaseException:
                    pass  # there is none: csbx is gone
                is_done.release()

    def ask(self, question):
        if posix.getpid() != self.owner:  # a fork has the channel, and not the thread
            with self.turn:
                self.number += 1 << 32
                return self.carry(question)
        answers, is_done = [], self.new_lock()
        is_done.acquire()
        self.waiting.append((question, answers, is_done))
        with self.turn:
            if self.work.locked():
                self.work.release()
        is_done.acquire()
        if not answers:
            raise Gone()
        return answers[0]

    def fail(self, message):
        self.failed = self.failed or message
        if posix.getpid() != self.owner:  # a fork, of which the check's own process may see nothing
            send(b"X", 0, literal(["CallFailed", message, 0]))
        raise CallFailed(message)


def call(name, args, kwargs):
    flush()
    try:
        question = literal([name, list(args), kwargs])
    except Exception as error:
        CALLER.fail("the arguments of %s() cannot be told: %s" % (name, error))
    answer = CALLER.ask(question)
    if answer[0] == "R":
        return answer[1]
    if answer[0] == "F":
        CALLER.fail(answer[1])
    raise make_error(answer[1], answer[2], answer[3])


class Function(object):
    """A function of the snippet."""

    def __init__(self, name):
        self.__name__ = self.__qualname__ = name

    def __call__(self, *args, **kwargs):
        return call(self.__name__, args, kwargs)

    def __repr__(self):
        return "<function %s of the snippet>" % self.__name__


class Solution(type(sys)):
    """The module that asserting code imports the snippet's functions from."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Function(name)


def run_unittest(unittest):
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = unittest.TextTestRunner(stream=sys.stderr).run(suite)
    for _, text in result.failures + result.errors:
        kind, _, message = text.strip().rpartition("\n")[2].partition(": ")
        raise AssertionError(message if kind == "AssertionError" else "%s: %s" % (kind, message))
    if not result.wasSuccessful():
        raise AssertionError("an unexpected success")


def prepare_test(tests, name, test):
    """Calls setup_method() and the like, which may take the method that is tested."""
    function = getattr(tests, name, None)
    code = getattr(function, "__code__", None)
    if function is not None:
        awaited(function(*[test] * (code is not None and code.co_argcount > 1)))


def prepare_class(kind, name):
    awaited(getattr(kind, name, bool)())


def run_class(kind):
    prepare_class(kind, "setup_class")
    for name in dir(kind):
        if name.startswith("test_") and callable(getattr(kind, name)):
            tests = kind()  # each has its own
            test = getattr(tests, name)
            prepare_test(tests, "setup_method", test)
            try:
                awaited(test())
            finally:
                prepare_test(tests, "teardown_method", test)
    prepare_class(kind, "teardown_class")


def run(space):
    load(CHECK, space)
    if FUNCTION and callable(space.get("check")):
        awaited(space["check"](space["candidate"]))
    unittest = sys.modules.get("unittest")
    of_unittest = unittest.TestCase if unittest else ()
    for name, value in list(space.items()):
        if name.startswith("test_") and callable(value) and type(value) is not Function:
            awaited(value())
        elif name.startswith("Test") and isinstance(value, type) and not issubclass(value, of_unittest):
            run_class(value)
    if unittest:
        run_unittest(unittest)


def raised_in(error):
    """Name of the module. unittest.main() leaves with False or 0 when all has passed."""
    tb = error.__traceback__
    while tb and tb.tb_next:
        tb = tb.tb_next
    return tb and tb.tb_frame.f_globals.get("__name__")


def leave():
    flush()
    if CALLER.failed is not None:
        send(b"X", 0, literal(["CallFailed", CALLER.failed, 0]))
        posix._exit(1)
    send(b"D", 0)
    posix._exit(0)


def main():
    global Opaque, CALLER
    import _thread
    Opaque = Missing
    prepare()
    sys.modules["builtins"].callable = callable_if_told
    CALLER = Caller(_thread)
    module = type(sys)("__main__")
    module.__file__ = CHECK
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["__main__"] = module
    sys.modules["solution"] = Solution("solution")
    sys.argv[:] = [CHECK]
    if FUNCTION:
        module.__dict__[FUNCTION.partition(".")[0]] = module.__dict__["candidate"] = Function(FUNCTION)
    try:
        run(module.__dict__)
    except Gone:
        posix._exit(1)
    except BaseException as error:
        error = outside(error)
        if isinstance(error, SystemExit) and not error.code and raised_in(error) == "unittest.main":
            leave()
        send(b"X", 0, literal(describe(error, CHECK)))
        if not isinstance(error, SystemExit):
            sys.excepthook(type(error), error, error.__traceback__)
        flush()
        posix._exit(1)
    leave()


main()
