# SPDX-License-Identifier: Apache-2.0
# Runs asserting code in a container of its own. Functions of the snippet that it calls run elsewhere: csbx carries the
# calls and the answers, as values: PROTOCOL.md.
# A warm interpreter (frozen.py) has run all but the last line before: what is of one run begins in main().


class CallFailed(BaseException):
    """A call that did not come about, or did not return. It says nothing that a check could expect of the snippet: no class of
    exceptions that is expected or handled includes it, and a check that has seen one has not passed."""
    __module__ = "builtins"


# --- values that cannot be told: objects.py, once one is there -------------------------------------------------------------------------
WATCH = None
NOT_BROUGHT = frozenset(vars(sys.modules["builtins"])) | frozenset("""load_tests setUpModule tearDownModule setup_module teardown_module
    setup_function teardown_function pytestmark pytest_plugins pytest_generate_tests collect_ignore collect_ignore_glob""".split()) | {""}
plain_print, plain_isinstance, plain_issubclass, plain_callable = print, isinstance, issubclass, callable


def untold(kind, text):
    need("TOLD")
    return untold_of_name(kind, text)


def in_order(value, items):
    need("ORDERED")
    return set_in_order(value, items)


LATER = {"subclass": "TOLD", "object": "TOLD", "class": "TOLD", "error": "ERRORS", "exception": "ERRORS"}  # texts that have what makes them
PROMPTED = {}  # classes of a prompt, which the code has as well, by name: brought.py
OTHERS = {}  # classes of exceptions of the snippet, by what is told of them: errors.py


def make_here(name, part):
    if name == "function" and type(part) is str:
        return function_here(part)
    need("MADE")
    if name in LATER:
        need(LATER[name])
    if name == "defaultdict" and not is_factory(part[0]):
        raise ValueError("a factory")
    return MAKERS[name](part)


def is_factory(found):
    """Of a defaultdict, which calls it without being asked to."""
    return found is None or id(found) in NAMES_OF_BUILTINS or is_of_snippet(found) or plain_isinstance(found, type) and key_of(found) in LIBRARY


def argument_parts(value, kind):
    """An object of a class that the snippet has no part in is no argument, nor is one that cannot be told."""
    if type(kind) in STANDING or kind in STANDING:
        return standing_argument(value, kind)
    if issubclass(kind, Function):
        return "function", path_of_function(value)
    if PROMPTED and is_enum(kind) and is_prompted(kind) and own_space(kind)["_member_map_"].get(value._name_) is value:
        return "function", "%s.%s" % (kind.__qualname__, value._name_)
    made = parts_of(value, kind)
    if made[0] == "subclass" and issubclass(kind, tuple):
        base = base_of(kind)
        if is_named_tuple(base) and not set(named_tuple_members(kind, base)) - {"__doc__", "__annotations__"}:
            return "namedtuple", (name_of(kind), own_space(base)["_fields"], made[1][1])
    if made[0] in ("subclass", "object", "class", "exception", "error"):
        raise Unfit("a %s" % name_of(kind))
    return made


def is_of_snippet(value):
    kind = type(value)
    if plain_issubclass(kind, Function) or type(kind) in STANDING or kind in STANDING:
        return True
    return bool(OTHERS) and any(value is each or kind is each for each in OTHERS.values())


def is_of_check(value):
    """And has not come by `from solution import`, as a class of Python's own may, too."""
    return not is_of_snippet(value) and not any(value is each for each in own_names(sys.modules["solution"]).values())


OF_TESTS = ["__main__", "__mp_main__", "solution", "pytest", "_pytest", "unittest"]


def modules_of_check():
    """Names that its own classes may be of, and those of what runs its tests. pytest imports it by another one."""
    name, files = "/" + CHECK.rpartition("/")[2], [(module, space_of(found).get("__file__")) for module, found in list(sys.modules.items())]
    return [module for module, file in files if type(file) is str and file.endswith(name)] + OF_TESTS


def callable_if_told(found, is_callable=callable):
    if type(found) is Function:
        note_asked(path_of_function(found))
    elif type(found) in STANDING:
        note_use(found)
    return refuse(found) if type(type(found)) in STANDING[1:] else is_callable(found)


def isinstance_if_told(value, kind, is_instance=isinstance):
    own = type(value)
    if type(own) in STANDING or own in STANDING or own is Instance:
        return isinstance_of_other(value, kind)
    if own is Function and type(kind) is tuple:
        return any([isinstance_if_told(value, each) for each in kind])
    if own is Function and kind is PLAIN_FUNCTION:  # as inspect.isfunction() asks
        note_asked(path_of_function(value))
        return CALLER.value_of_name(path_of_function(value))[0] in ("f", "a")
    if own is Function and may_be_of(kind):
        return issubclass_if_told(class_of_callable(value), kind)
    return is_instance(value, kind)


def issubclass_if_told(kind, kinds, is_subclass=issubclass):
    if OTHERS and type(kind) is ErrorClass:
        note_error(kind)
    return issubclass_of_other(kind, kinds) if type(kind) in STANDING else is_subclass(kind, kinds)


def print_told(*values, **how):
    for value in values:
        if type(type(value)) in STANDING[1:] and not texts_of_member(value):
            if how.get("file") or sys.stdout is not shown_at:  # where the check may read it
                refuse(value)
            values = [text_of_untold(each) if type(type(each)) in STANDING[1:] and not texts_of_member(each) else each for each in values]
            break
    plain_print(*values, **how)


class Caller(object):
    def __init__(self, threads):
        self.threads, self.failed, self.owner, self.known, self.is_for_all = threads, None, posix.getpid(), None, False
        self.has_its_names = self.has_asked = self.is_over = False
        self.carriers, self.locks = {self.owner: Carrier(threads)}, {}
        self.thread, self.exits, self.promised = threads.get_ident(), [], set()

    def carrier(self):
        """That of this process. A fork has no thread of the process that it comes from."""
        me = posix.getpid()
        if me not in self.carriers:
            try:
                with self.locks.setdefault(me, self.threads.allocate_lock()):
                    if me not in self.carriers:
                        open_channel()
                        self.carriers = {me: Carrier(self.threads)}
            except Exception as error:  # of a fork that has closed what it was not to close
                self.fail("a process of the check cannot call: %s" % error)
        return self.carriers[me]

    def carrier_to_ask(self):
        carrier = self.carrier()
        if carrier.is_first_open:
            self.fail("a signal came while the snippet was asked for its names")
        return carrier

    def ask(self, question, teller=None):
        carrier = self.carrier_to_ask()
        if carrier.thread == self.threads.get_ident():  # while it reads an answer
            raise ValueError("a value that is asked for more")
        return carrier.ask(question, teller)

    async def ask_meanwhile(self, question, teller):
        """As ask(), while others of a loop of asyncio go on."""
        asyncio = sys.modules.get("asyncio")
        loop = asyncio and asyncio._get_running_loop()
        if not loop:
            return self.ask(question, teller)
        answers, future = [], loop.create_future()

        def done():
            try:
                loop.call_soon_threadsafe(lambda: future.done() or future.set_result(None))
            except RuntimeError:
                pass  # it is closed, and no task waits
        self.carrier_to_ask().begin(question, answers, done, teller)
        await future
        if not answers:
            raise Gone()
        return answers[0]

    def value_of_name(self, path):
        question = literal([path, None, None])
        self.has_asked = self.has_asked or path != ""
        answer = None if path else self.carrier_to_ask().ask_first(question)
        answer = answer or self.ask(question)
        if answer[0] != "R":
            self.fail(answer[1] if answer[0] == "F" else "the snippet does not tell its names")
        if WATCH is not None and WATCH.alive:
            WATCH.begin()
        return answer[1]

    def note_promise(self, name):
        """A call that comes about when it is awaited. That may never be, and what is made of the coroutine is the snippet's matter."""
        if name not in self.promised:
            self.promised.add(name)
            self.value_of_name(name)

    def names(self):
        """Of the snippet, with their kinds."""
        if self.known is None:
            found = self.value_of_name("")
            is_told = type(found) is dict and all(type(n) is type(k) is str and (k or n == "__all__") for n, k in found.items())
            if not is_told:
                self.fail("the snippet does not tell its names")
            self.known = found
        return self.known

    def names_for_all(self, space):
        """
        Those of `import *`. What the check has defined or imported stays its own, and so do sum(), len() and the like. What a module has
        by itself (__dir__), and what a runner of tests looks for in it, is no matter of the snippet.
        """
        names = self.names()
        self.is_for_all = self.has_its_names = True
        told = names.get("__all__", "\n".join(sorted(n for n in names if n[:1] != "_"))).split("\n")
        if not all(map(str.isidentifier, filter(None, told))):
            self.fail("__all__ of the snippet has what is no name")
        return [name for name in told if name[:2] != "__" and name not in NOT_BROUGHT and (name not in space or is_of_snippet(space[name]))]

    def fail(self, message):
        self.failed = self.failed or message
        if posix.getpid() != self.owner:  # a fork, of which the check's own process may see nothing
            try:
                tell(b"X", literal(["CallFailed", message, 0]))
                TURN.leave_word(message)
                posix.kill(self.owner, SIGNAL)
            except Exception:
                pass
        raise CallFailed(message)

    def hear_of_fork(self, number, frame):
        """
        A handler. The check has not passed, and its own process may wait for what that one was to do. One that takes its turn, or is
        at its end, is not disturbed.
        """
        is_inside = frame and frame.f_code.co_filename == HARNESS and frame.f_code.co_name in ("__enter__", "__exit__", "tell", "leave")
        word = None if is_inside or self.is_over or posix.getpid() != self.owner else TURN.word_left()
        if word:
            self.fail(word)

    def note_exit(self, error):
        """One that is no Exception. A thread ends by a SystemExit as if all were well, and so does a process of multiprocessing."""
        frame = sys._getframe(1)
        while frame and (frame.f_code.co_name, frame.f_globals.get("__name__")) != ("_bootstrap", "multiprocessing.process"):
            frame = frame.f_back
        if frame or self.threads.get_ident() != self.thread:
            self.fail("the snippet raised %s in a thread or a process of the check, which cannot be judged" % name_of(type(error)))
        self.exits.append(error)


# Raised by what is called while something else iterates (map, next), or in a generator that is closed, they would end that in silence.
NOT_RAISED = (StopIteration, StopAsyncIteration, GeneratorExit)
BUILT_IN_BY_NAME = {kind.__name__: kind for kind in BUILT_IN if not issubclass(kind, NOT_RAISED)}


def are_arguments(kind, args):
    """The text of an exception of Unicode is read by its numbers, wherever they lead."""
    at = {"UnicodeDecodeError": 1, "UnicodeEncodeError": 1, "UnicodeTranslateError": 0}
    first = next((at[name_of(base)] for base in mro_of(kind) if name_of(base) in at and base in BUILT_IN), None)
    if first is None:
        return True
    whole, start, end = (tuple(args) + (None,) * 4)[first:first + 3]
    return type(whole) in (bytes, str) and type(start) is int and type(end) is int and 0 <= start <= end <= len(whole)


def plain_error(name, base, message, what):
    """One that is built in and made of plain values, as most are; else None."""
    kind = BUILT_IN_BY_NAME.get(name)
    if base or kind is None or not what or what[0] != name or type(what[1]) is not tuple or not are_leaves(what[1]) or what[2] or what[3]:
        return None
    if not are_arguments(kind, what[1]):
        return None
    try:
        error = kind(*what[1])
        return error if str(error) == message and error.args == what[1] else None
    except Exception:
        return None


def outcome(answer, teller):
    """What a call returns, or raises."""
    if len(answer) in WITH_CHANGES and answer[-1]:
        restore(teller, answer[-1])
    if WATCH is not None and WATCH.alive:
        WATCH.begin()
    if answer[0] == "R":
        return answer[1]
    if answer[0] == "F":
        CALLER.fail(answer[1])
    try:
        error = plain_error(*answer[1:5])
        if error is None:
            need("ERRORS")
            error = make_error(*answer[1:5])
    except Exception as why:
        CALLER.fail("what it raised is no exception: %s" % why)
    if not plain_isinstance(error, Exception):
        CALLER.note_exit(error)
    raise error


async def awaited_outcome(answer, teller):
    return outcome(answer, teller)


async def outcome_awaited(question, teller):
    """The call of an async function is made when it is awaited."""
    return outcome(await CALLER.ask_meanwhile(question, teller), teller)


def is_new(value, answer, teller):
    """Not an argument, nor of a call that has changed one: the same call would be another one now."""
    return len(answer) not in WITH_CHANGES or not answer[-1] and not is_argument(teller, value)


def argument_parts_but_made(value, kind):
    """What an object is made of that the snippet makes once more is no argument."""
    made = argument_parts(value, kind)
    return None if made[0] == "made" else made


def call(name, args, kwargs, is_async):
    flush()
    CALLER.has_asked = True
    teller = Teller(is_argument=True)
    teller.kwargs, teller.reached, teller.sent = kwargs, None, None  # reached: all that is an argument; None: all that is told: restored.py
    try:
        teller.put([name, list(args), kwargs])
        if teller.has_made:
            teller.reached = reach(list(args) + list(kwargs.values()), argument_parts_but_made, {})
    except Exception as error:
        CALLER.fail("the arguments of %s() cannot be told: %s" % (name, error))
    teller.told, teller.question = [name, args, kwargs], b"".join(teller.out)
    question = teller.question
    if len(question) > BYTES_MAX:
        CALLER.fail("the arguments of %s() cannot be told: they are larger than 8 MB" % name)
    if not is_async and "asyncio" in sys.modules:
        is_async = CALLER.names().get(name) == "a"  # which may be to be awaited for a time
    if is_async:
        CALLER.note_promise(name)
        return outcome_awaited(question, teller)
    answer = CALLER.ask(question, teller)
    if answer[-2 if len(answer) in WITH_CHANGES else -1] is True:
        return awaited_outcome(answer, teller)
    value = outcome(answer, teller)
    return note_call(value, (name, args, kwargs)) if type(type(value)) in STANDING and is_new(value, answer, teller) else value


own_names = vars(type(sys))["__dict__"].__get__


class Solution(type(sys)):
    """The module that asserting code imports the snippet's functions from."""

    def __getattr__(self, name):
        if name == "__all__":
            return CALLER.names_for_all(sys._getframe(1).f_globals)
        if name == "__file__" and is_asked_for_text(sys._getframe(1)):
            CALLER.fail("the text of the snippet cannot be judged")
        if name.startswith("__") or not name.isidentifier():  # a dot asks for an attribute of what stands under a name
            raise AttributeError(name)
        kind = CALLER.names().get(name)
        if name in PROMPTED and not can_be_told(PROMPTED[name]):
            del PROMPTED[name]  # the check takes the code's own
        found = function_here(name, kind) if kind and kind[0] in "fao" else look_up(name)
        if found is NOTHING:
            raise AttributeError("module 'solution' has no attribute '%s'" % name)
        if kind is None or kind in ("c", "e") and not plain_isinstance(found, type):
            CALLER.fail("%s of the snippet is not what it was before" % name)
        if CALLER.is_for_all and type(type(found)) in STANDING[1:]:
            WATCH.pass_by(found)
        if not CALLER.is_for_all and plain_callable(found) and not is_of_snippet(found):
            CALLER.value_of_name(name + ".__class__")  # it runs here, and csbx is to know that the check has had to do with it
        own_names(self)[name] = found
        return found

    def __setattr__(self, name, value):
        if not name.startswith("__"):
            CALLER.fail("solution.%s is set, which the snippet does not see" % name)
        own_names(self)[name] = value

    def __dir__(self):
        return sorted(CALLER.names())

    @property
    def __dict__(self):
        for name in CALLER.names():
            getattr(self, name) if name != "__all__" else None
        return own_names(self)


def is_asked_for_text(frame):
    """Of the module's file, by the check or by inspect.getsource(), and not as all modules are gone through."""
    code = frame.f_code
    return code.co_filename == CHECK or code.co_name != "getmodule" and frame.f_globals.get("__name__") == "inspect"


def run(space):
    program = None
    try:
        load(CHECK, space)
    except SystemExit as error:
        program = left_by(error)
        if error.code or program is None and not is_own_end(error):
            raise
        if posix.getpid() != CALLER.owner:  # a fork, whose end is not that of the check
            flush()
            posix._exit(0)
    check = space.get("check")
    has_check = bool(FUNCTION) and callable(check) and is_of_check(check)
    if has_check:
        awaited(check(space["candidate"]))
    if "unittest" in sys.modules or any(name[:4] in ("test", "Test") for name in space):
        need("SUITE")
        run_tests(space, has_check, program)


def left_by(error):
    """The program that unittest.main() is, which leaves with False or 0 when all has passed."""
    tb = error.__traceback__
    while tb and tb.tb_next:
        tb = tb.tb_next
    is_there = tb and tb.tb_frame.f_globals.get("__name__") == "unittest.main"
    return tb.tb_frame.f_locals.get("self") if is_there else None


def is_own_end(error):
    """sys.exit(0) of the check, and not of the snippet."""
    return type(error.code) in (int, bool, type(None)) and not any(error is each for each in CALLER.exits)


def is_of_pytest(code):
    """What pytest.main() returns, for sys.exit(): it has run the tests of the file."""
    config = sys.modules.get("_pytest.config")
    return config is not None and type(code) is config.ExitCode


def is_own_fault(error):
    """
    Of a check that has asked for names alone: it wants a package or a name that it lacks, whatever these are. By anything else it may
    have failed by what the snippet has, and has not.
    """
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    if CALLER.has_asked or CALLER.failed is not None or not last or last.tb_frame.f_code.co_filename != CHECK:
        return False
    if type(error) is NameError:
        return not CALLER.has_its_names
    return type(error) in (ImportError, ModuleNotFoundError) and type(error.name) is str and error.name.partition(".")[0] != "solution"


def note_missed():
    if "ERRORS" in needed:
        CALLER.failed = CALLER.failed or missed()


def leave():
    CALLER.is_over = True
    note_missed()
    flush()
    carrier = CALLER.carriers.get(posix.getpid())
    if carrier and carrier.begun != carrier.ended and CALLER.failed is None:
        try:
            CALLER.ask(literal(["", None, None]))  # behind a call whose end no task has waited for
        except CallFailed:
            pass
    if CALLER.failed is not None:
        tell(b"X", literal(["CallFailed", CALLER.failed, 0]))
        posix._exit(1)
    tell(b"D")
    posix._exit(0)


def main():
    global CHECK, FUNCTION, Opaque, CALLER, TURN, SIGNAL, shown_at
    import _signal
    import _thread
    CHECK, FUNCTION = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    shown_at = sys.stdout
    Opaque = untold
    prepare()
    vars(sys.modules["builtins"]).update(callable=callable_if_told, isinstance=isinstance_if_told, issubclass=issubclass_if_told,
                                         print=print_told)
    Reader.make, Reader.in_order, Reader.argument = staticmethod(make_here), staticmethod(in_order), argument_in
    TURN = Turn(_thread)
    CALLER, SIGNAL = Caller(_thread), _signal.SIGURG  # which does nothing where it has no handler
    _signal.signal(SIGNAL, CALLER.hear_of_fork)
    module = type(sys)("__main__")
    module.__file__ = CHECK
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["__main__"] = module
    sys.modules["solution"] = Solution("solution")
    sys.modules["solution"].__again__ = again
    sys.modules["solution"].__prompt__ = lambda space, text: need("BROUGHT") or take_prompt(space, text)
    sys.modules["solution"].__bring__ = lambda space: need("BROUGHT") or bring(space)
    sys.argv[:] = [CHECK]
    if FUNCTION:
        module.__dict__["candidate"] = function_here(FUNCTION)
        if "." not in FUNCTION:  # a class is no method of it
            module.__dict__[FUNCTION] = module.__dict__["candidate"]
    try:
        run(module.__dict__)
    except Gone:
        posix._exit(1)
    except BaseException as error:
        CALLER.is_over = True
        error = outside(error)
        if isinstance(error, SystemExit) and not error.code and is_of_pytest(error.code):
            leave()
        told = describe(error, CHECK)
        note_missed()
        if is_own_fault(error):
            need("SUITE")
            give_up("it failed by itself, before any call of the snippet: %s in line %d: %s" % tuple(told[i] for i in (0, 2, 1)))
        if CALLER.failed is not None and not isinstance(error, SystemExit):
            told[:2] = "CallFailed", CALLER.failed
        tell(b"X", literal(told))
        if not isinstance(error, SystemExit):
            sys.excepthook(type(error), error, error.__traceback__)
        flush()
        posix._exit(1)
    leave()


main()
