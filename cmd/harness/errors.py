# SPDX-License-Identifier: Apache-2.0
# What asserting code sees of exceptions of a snippet that are not built in and made of plain values. It is compiled when the first comes by.
need("MADE")


class ErrorClass(type):
    """Of classes of exceptions that stand for the snippet's. As any other, but pickle has none of these by its name."""

    def __call__(cls, *args, **kwargs):
        if sys._getframe(1).f_code.co_filename == CHECK:
            note_error(cls)
        return type.__call__(cls, *args, **kwargs)

    def __getattribute__(cls, name):
        if name in ("__name__", "__qualname__", "__doc__", "__mro__", "__bases__") and sys._getframe(1).f_code.co_filename == CHECK:
            note_error(cls)
        return type.__getattribute__(cls, name)


def note_error(cls):
    told = ERRORS_TOLD.get(cls)
    note_asked(told[4] if told and type(told[4]) is str else None)


ERRORS_TOLD = {}  # what was told of each
__import__("copyreg").pickle(ErrorClass, lambda cls: need("COPIED") or reduced_error(cls))


FOUND = {}  # classes that asserting code has as well, by module and name
ABSENT = {}  # whether the check may have to do with one, by module and name, of those that it had no module of


def is_of_framework(kind):
    """By a class that it is made of. Some of pytest's say that they are Python's own."""
    module = type.__getattribute__(kind, "__module__")
    if module == "builtins":
        return kind.__name__ not in vars(sys.modules[module])
    return type(module) is not str or module.partition(".")[0] in FRAMEWORKS


def class_of_module(module, name):
    """The class itself, as a module has it that asserting code has imported, or one of a list; None: it has not."""
    if module.partition(".")[0] in FRAMEWORKS or module in modules_of_check():
        CALLER.fail("the snippet's exception %s.%s is one of those that run tests, and cannot be judged" % (module, name))
    if module not in sys.modules and module in ERROR_MODULES:
        try:
            __import__(module)
        except ImportError:  # this Python has none
            pass
    if module not in sys.modules:
        ABSENT.setdefault((module, name), not CALLER.is_for_all)
        return None
    first, *rest = name.split(".")
    found = space_of(sys.modules[module]).get(first)
    for part in rest:
        found = own_space(found).get(part) if issubclass(type(found), type) else None
    if not issubclass(type(found), type) or BaseException not in mro_of(found) or type.__getattribute__(found, "__module__") != module:
        CALLER.fail("the snippet's exception %s.%s is another here, or none" % (module, name))
    if any(map(is_of_framework, mro_of(found))):
        CALLER.fail("the snippet's exception %s.%s is one of those that run tests, and cannot be judged" % (module, name))
    return found


def note_absent(told):
    """One is raised, or is in a value."""
    if type(told) is list:
        if (told[2], told[1]) in ABSENT:
            ABSENT[told[2], told[1]] = True
        for base in told[3]:
            note_absent(base)


def missed():
    """The check has imported a module since an exception of it came: it may have compared one with the class itself."""
    late = [each for each in ABSENT if ABSENT[each] and each[0] in sys.modules]
    return "the snippet's exception %s.%s came before its module was imported, and is another class" % late[0] if late else None


def library_error(module, name):
    expect((module, name), str, str)
    if (module, name) not in FOUND:
        found = class_of_module(module, name)
        if found is None:
            return None
        if (module, name) in ABSENT:
            ABSENT[module, name] = True
            CALLER.fail(missed())
        FOUND[module, name] = found
    return FOUND[module, name]


def error_class(told, budget):
    """The class here for a class there: itself, or one that stands for it."""
    budget.append(None)
    if len(budget) > 64:
        raise ValueError("too many classes")
    if type(told) is str:
        return BUILTINS[told] if told in BUILTINS and BUILTINS[told] in BUILT_IN else Exception
    key, name, module, bases, is_of_library, shown, refused = told
    found = library_error(module, name) if is_of_library is True else None
    if PROMPTED and type(is_of_library) is str and type(module) is str:
        found = prompted_error(told)
    if found is not None:
        return found
    made = tuple(error_class(base, budget) for base in bases) or (Exception,)
    known = (expect(key, int), expect(name, str), expect(module, str), made)
    if known not in OTHERS:
        expect((shown, refused), dict, tuple)
        expect(tuple(shown) + refused, *[str] * (len(shown) + len(refused)))
        space = {}
        if shown or refused:
            need("TOLD")
            space = space_here([each for base in made for each in mro_of(base) if not is_one_of(each, OTHERS.values())], shown, refused)
        if "__str__" in space:
            space["__str__"] = message_as_told
        space["__module__"] = module if module in sys.modules and module != "__main__" else "solution"
        name = name.rpartition(".")[2]
        try:
            OTHERS[known] = ErrorClass(name, made, dict(space))
        except TypeError:
            OTHERS[known] = ErrorClass(name, made[:1], space)
        ERRORS_TOLD[OTHERS[known]] = told
    return OTHERS[known]


MESSAGES = {}  # of exceptions whose class has its own, by id


def message_as_told(self):
    told = MESSAGES.get(id(self))
    if told is None or told[0]() is not self:
        CALLER.fail("__str__ of a %s of the snippet cannot be judged" % name_of(type(self)))
    return told[1]


def set_message(error, message):
    number = id(error)
    MESSAGES[number] = __import__("_weakref").ref(error, lambda ref: MESSAGES.pop(number, None)), message


def set_state(error, args, state):
    if error.args != args and not plain_isinstance(error, OSError):
        error.args = args
    if any(type(value) not in LEAVES for value in state.values()):
        need("TOLD")
        if any(does_something(value) for name, value in state.items() if name in IMPLIED or has_one_of(mro_of(type(error)), name)):
            raise ValueError("an attribute in the place of a method")
    for name, value in state.items():
        if name[:2] == "__" and name != "__notes__" or name in own_space(BaseException):
            continue
        if has_refused(type(error), name) or not any(name in own_space(each) for each in mro_of(type(error)) if id(each) in BUILT_IN_IDS):
            vars(error)[name] = value
            continue
        try:
            setattr(error, name, value)
        except (AttributeError, TypeError, ValueError):  # what the class has there does not take it
            pass
    return error


def has_refused(kind, name):
    return "TOLD" in needed and any(type(own_space(each).get(name)) is Refused for each in mro_of(kind))


def new_error(kind, args, is_begun=True):
    """As those of the class that one of the snippet's is made of are made, where that is no code in Python. An OSError's own __init__()
    may not have begun it."""
    if not are_arguments(kind, args):
        raise ValueError("arguments of another exception")
    base = next(base for base in mro_of(kind) if not is_one_of(base, OTHERS.values()))
    if PLAIN_FUNCTION in (type(base.__new__), type(base.__init__)):
        base = next(base for base in mro_of(kind) if id(base) in BUILT_IN_IDS)
    error = base.__new__(kind, *args)
    (base if is_begun else BaseException).__init__(error, *args)
    return error


def make_like(kind, args, state, message):
    """As it was made there; None: that is another text."""
    if any(type(type(arg)) in STANDING[1:] for arg in args):
        return None
    for is_begun in (True, False) if plain_issubclass(kind, OSError) else (True,):
        try:
            error = set_state(new_error(kind, args, is_begun), args, state)
            if kind.__str__ is message_as_told:
                set_message(error, message)
            if str(error) == message:
                return error
        except Exception:
            pass
    return None


def make_unlike(kind, name, args, state, message):
    """One of a class whose objects say something else than its arguments."""
    told = type(kind)(name, (kind,), {"__module__": "solution", "__init__": lambda self, *args: None, "__str__": lambda self: message,
                                      "__reduce__": lambda self: (again, ("unlike", kind, name, args, state, message))})
    try:
        return set_state(new_error(told, args, False), args, state)
    except Exception:
        pass
    try:
        return set_state(new_error(told, (), False), args, state)
    except TypeError:  # a group, which is never empty
        return new_error(told, (message, [Exception("not told")]))


def ends_in_silence(kind):
    """True for what a loop, a generator or a task of asyncio ends by as if all were well."""
    cancelled = getattr(sys.modules.get("asyncio"), "CancelledError", None)
    return plain_issubclass(kind, NOT_RAISED) or issubclass(type(cancelled), type) and plain_issubclass(kind, (cancelled,))


def make_error(name, base, message, what, is_raised=True):
    """One that is built in, or of the standard library, is raised as itself, one of the snippet's as one like it."""
    told, args, state, cause = expect(tuple(what), (str, list), tuple, dict, (list, bool, type(None))) if what else (None, (message,), {}, None)
    kind = error_class(told or ([0, name, "snippet", [base], False, {}, ()] if base else name), [])
    if is_raised and ends_in_silence(kind):
        CALLER.fail("the snippet raised %s, which cannot be judged: it would end a loop, a generator or a task here" % name)
    error = make_like(kind, args, state, message)
    if error is None:
        error = make_unlike(kind, name, args, state, message)
    note_absent(told)
    if type(cause) is bool:
        error.__suppress_context__ = cause
    elif cause is not None:
        error.__cause__ = make_error(*expect(tuple(cause), str, str, str, (list, type(None))), is_raised=False)
    return error


MAKERS["error"] = lambda part: error_class(part, [])
MAKERS["exception"] = lambda part: make_error(*expect(part, str, str, str, list), is_raised=False)
