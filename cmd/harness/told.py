# SPDX-License-Identifier: Apache-2.0
# What asserting code sees of a snippet that is neither a plain value nor made of such: values that cannot be told, exceptions.


# --- values that cannot be told --------------------------------------------------------------------------------------------------


def refuse(self, *args, **kwargs):
    CALLER.fail("the snippet returned a %s, which cannot be judged" % object.__getattribute__(self, "kind"))


class Untold(type):
    """An abstract class (Iterable) asks a class what methods it has."""

    def __getattribute__(cls, name):
        if name in ("__mro__", "__dict__", "__name__", "__qualname__", "__module__", "__doc__"):
            CALLER.fail("the snippet returned a value whose type cannot be judged")
        return type.__getattribute__(cls, name)


USES = """
    bool len length_hint iter next reversed contains getitem setitem delitem call enter exit aenter aexit aiter anext await int float
    complex index round trunc floor ceil abs neg pos invert bytes fspath lt le gt ge eq ne hash str setattr delattr
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror format instancecheck mro_entries
""".split()
need("MADE")
REFUSED = {"__%s__" % name: refuse for name in USES}


def init_untold(self, kind, text):
    object.__setattr__(self, "kind", kind)
    object.__setattr__(self, "text", text)
    WATCH.alive += 1


def end_untold(self):
    WATCH.end(sys._getframe(1))


def attribute_of_untold(self, name):
    if name != "__class__":  # which isinstance() in C code looks at
        refuse(self)
    return object.__getattribute__(self, name)


def text_of_untold(self):
    return "<a %s that cannot be judged: %s>" % (object.__getattribute__(self, "kind"), object.__getattribute__(self, "text"))


# Stands for a value that cannot be told. It may be shown by its repr(), and kept. Anything else would be told to asserting code as a
# TypeError, an AttributeError or as False, which may be what it expects of the snippet.
Missing = Untold("Missing", (object,), dict(REFUSED, __init__=init_untold, __del__=end_untold, __getattribute__=attribute_of_untold,
                                            __repr__=lambda self: object.__getattribute__(self, "text")))
# Of these classes no value that cannot be told is one.
TOLD_KINDS = LEAVES | set(BUILT_IN_KINDS) | {tuple, list, dict, set}


def is_told_kind(kind):
    return all(map(is_told_kind, kind)) if type(kind) is tuple else type(kind) is type and kind in TOLD_KINDS


class Watch(object):
    """
    Functions in C look at the type of a value alone (`raise f()`, json.dumps()), and say TypeError. While there is a value that
    cannot be told, or where the last one has ended, one of Python's is such a failure.
    """

    def __init__(self):
        self.alive, self.ended_at = 0, None

    def end(self, frame):
        self.alive -= 1
        self.ended_at = frame, frame.f_lasti

    def concerns(self, frame):
        return self.alive or self.ended_at == (frame, frame.f_lasti)

    def begin(self):
        """In the thread that has called."""
        if sys.gettrace() is not None:
            return
        frame = sys._getframe(1)
        while frame is not None:
            see(frame, "call", None)
            frame.f_trace = frame.f_trace or see
            frame = frame.f_back
        sys.settrace(see)


def see(frame, event, arg):
    if frame.f_code.co_filename == HARNESS:
        return None
    if event == "call" and hasattr(frame, "f_trace_lines"):
        frame.f_trace_lines = False
    if event == "exception" and issubclass(arg[0], TypeError) and WATCH.concerns(frame) and not is_of_harness(arg[2]):
        CALLER.fail("a TypeError came while there was a value of the snippet that cannot be judged: %s" % (arg[1],))
    if not WATCH.alive:
        WATCH.ended_at = None
        if sys.gettrace() is see:
            sys.settrace(None)
    return see


WATCH = Watch()


def is_of_harness(tb):
    """An exception of the snippet's, or of what is said here."""
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    return tb is not None and tb.tb_frame.f_code.co_filename == HARNESS


# --- values of classes that are made of another ----------------------------------------------------------------------------------


def attribute_of_other(self, name):
    """Of a class that is not here: it may have any."""
    if name[:1] == "_":
        raise AttributeError(name)
    CALLER.fail("the attribute %s of a %s of the snippet cannot be judged" % (name, name_of(type(self))))


def refused_methods(names):
    def refuse_method(self, *args, **kwargs):
        CALLER.fail("the snippet returned a %s, whose own methods cannot be judged" % name_of(type(self)))
    space = {name: refuse_method for name in names if name not in ("__repr__", "__getattr__", "__getattribute__")}
    return dict(space, __getattr__=attribute_of_other, __module__="solution")


def make_subclass(part):
    bases = (int, float, str, bytes, list, tuple, dict, set, frozenset, bytearray, complex)
    name, plain, special, text = expect(part, str, bases, tuple, (str, type(None)))
    expect(special, *[str] * len(special))
    space = refused_methods(special)
    if text is not None:
        space["__repr__"] = lambda self: text
    if "__eq__" in special:
        space.setdefault("__ne__", space["__eq__"])
        space.setdefault("__hash__", space["__eq__"])
    return type(name, (type(plain),), space)(plain)


def make_other_named_tuple(part, found={}):
    name, fields, values, special = expect(part, str, tuple, tuple, tuple)
    expect(special, *[str] * len(special))
    if (name, fields, special) not in found:
        kind = named_tuple_class(name, fields)
        found[name, fields, special] = type(name, (kind,), dict(refused_methods(special), __slots__=()))
    return found[name, fields, special](*values)


# --- exceptions ------------------------------------------------------------------------------------------------------------------

OTHERS = {}  # classes of the snippet, by what is told of them


def library_error(module, name):
    """The class itself, where asserting code has it as well."""
    found = vars(sys.modules.get(module, sys)).get(name) if module in ERROR_MODULES else None
    return found if isinstance(found, type) and issubclass(found, Exception) else None


def error_class(told, budget):
    """The class here for a class there: itself, or one that stands for it."""
    budget.append(None)
    if len(budget) > 64:
        raise ValueError("too many classes")
    if type(told) is str:
        return BUILTINS[told] if told in BUILTINS and BUILTINS[told] in BUILT_IN else Exception
    key, name, module, bases, is_of_library = told
    found = library_error(module, name) if is_of_library is True else None
    if found is not None:
        return found
    made = tuple(error_class(base, budget) for base in bases) or (Exception,)
    known = (expect(key, int), expect(name, str), expect(module, str), made)
    if known not in OTHERS:
        try:
            OTHERS[known] = type(name, made, {"__module__": "solution" if module == "snippet" else module})
        except TypeError:
            OTHERS[known] = type(name, made[:1], {"__module__": module})
    return OTHERS[known]


def set_state(error, args, state):
    if error.args != args and not isinstance(error, OSError):
        error.args = args
    for name, value in state.items():
        if name[:2] != "__" or name == "__notes__":
            try:
                setattr(error, name, value)
            except Exception:
                pass
    return error


def make_like(kind, args, state, message):
    """As it was made there; None: that is another text."""
    if any(type(arg) is Missing for arg in args):
        return None
    try:
        error = kind.__new__(kind, *args) if type(kind.__init__) is PLAIN_FUNCTION else kind(*args)
        set_state(error, args, state)
        return error if str(error) == message else None
    except Exception:
        return None


def make_unlike(kind, name, args, state, message):
    """One of a class whose objects say something else than its arguments."""
    told = type(name, (kind,), {"__module__": "solution", "__init__": lambda self, *args: None, "__str__": lambda self: message})
    try:
        error = told.__new__(told, *args)
        return set_state(error, args, state)
    except Exception:
        pass
    try:
        return set_state(told.__new__(told), args, state)
    except TypeError:  # a group, which is never empty
        return told.__new__(told, message, [Exception("not told")])


def make_error(name, base, message, what):
    """One that is built in, or of the standard library, is raised as itself, one of the snippet's as one like it."""
    told, args, state = expect(tuple(what), (str, list), tuple, dict) if what else (None, (message,), {})
    kind = error_class(told or ([0, name, "snippet", [base], False] if base else name), [])
    if issubclass(kind, NOT_RAISED):
        CALLER.fail("the snippet raised %s, which cannot be judged: it would end a loop here" % name)
    return make_like(kind, args, state, message) or make_unlike(kind, name, args, state, message)


MAKERS.update(subclass=make_subclass, namedtuple=make_other_named_tuple, function=Function)
