# SPDX-License-Identifier: Apache-2.0
# What asserting code sees of objects of a snippet's classes, and of values that cannot be told. told.py compiles it, whose classes it needs.


# --- values that cannot be told --------------------------------------------------------------------------------------------------


def kind_of_untold(value):
    return name_of(type(value))


def refuse(self, *args, **kwargs):
    CALLER.fail("the snippet returned a %s, which cannot be judged" % kind_of_untold(self))


USES = """
    bool len length_hint iter next reversed contains getitem setitem delitem call enter exit aenter aexit aiter anext await int float
    complex index round trunc floor ceil abs neg pos invert bytes fspath lt le gt ge eq ne hash str setattr delattr
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror format instancecheck subclasscheck mro_entries
""".split()
REFUSED = {"__%s__" % name: refuse for name in USES}


def end_untold(self):
    if object.__getattribute__(self, "is_watched"):
        WATCH.end(sys._getframe(1))


COPIES = ("__copy__", "__deepcopy__", "__reduce_ex__")


def attribute_of_untold(self, name):
    member = object.__getattribute__(self, "member")
    if member is not None and name in ("_name_", "_value_"):
        name = name.strip("_")
    if member is not None and name in ("name", "value") and name in member:
        return member[name]
    if member is not None and name in COPIES:
        text, single = object.__getattribute__(self, "text"), is_single(self)
        return lambda *args: (again, ("member", type(self), member["name"], text, member, single)) if name == "__reduce_ex__" else self
    if name != "__class__":  # which isinstance() in C code looks at
        refuse(self)
    return object.__getattribute__(self, name)


def text_of_untold(self):
    return "<a %s that cannot be judged: %s>" % (kind_of_untold(self), object.__getattribute__(self, "text"))


def are_texts(texts):
    return texts is None or type(texts) is tuple and len(texts) == 2 and all(type(text) is str for text in texts)


def texts_of_member(value):
    """What str() and format() of it are, or None."""
    return (object.__getattribute__(value, "member") or {}).get("texts")


def str_of_untold(self):
    return (texts_of_member(self) or (refuse(self),))[0]


def format_of_untold(self, how):
    return refuse(self) if how or not texts_of_member(self) else texts_of_member(self)[1]


def equals_untold(self, other):
    """Those of an enumeration are equal to themselves alone, where its class does not say otherwise."""
    return self is other or NotImplemented if is_single(self) else refuse(self)


def differs_from_untold(self, other):
    is_equal = equals_untold(self, other)
    return is_equal if is_equal is NotImplemented else not is_equal


def truth_of_untold(self):
    return True if is_single(self) else refuse(self)


def repr_of_untold(self):
    text = object.__getattribute__(self, "text")
    return refuse(self) if text is None else text


def hash_of_untold(self):
    return object.__hash__(self) if is_single(self) else refuse(self)


# Stands for a value that cannot be told. It may be shown by its repr(), and kept. Anything else would be told to asserting code as a
# TypeError, an AttributeError or as False, which may be what it expects of the snippet.
Missing = type.__new__(Untold, "Missing", (object,), dict(
    REFUSED, __str__=str_of_untold, __format__=format_of_untold, __del__=end_untold, __getattribute__=attribute_of_untold,
    __repr__=repr_of_untold, __eq__=equals_untold, __ne__=differs_from_untold, __bool__=truth_of_untold,
    __hash__=hash_of_untold, **{TOLD_OF: (None, ("",), False), MADE_OF: None}))
MEMBERS = {}  # of enumerations, by class and name
TEXTS_OF_MEMBERS = {}  # by id, of those that are values of a built-in class: each with its name, and what str() and format() of it are


def is_single(value):
    return object.__getattribute__(value, "is_single")


def make_untold(kind, text, member=None, single=False):
    value = object.__new__(kind)
    for name, own in ("text", text), ("member", member), ("is_single", single), ("made_by", None):
        object.__setattr__(value, name, own)
    is_watched = member is None and told_of(kind)[1][0] != "builtins.module"  # which `from solution import *` brings
    object.__setattr__(value, "is_watched", is_watched)
    WATCH.alive += is_watched
    return value


def make_object(part):
    if PROMPTED and is_prompted(part[0]):
        return prompted_value(part[0], None, *expect(part[3:1:-1], dict, (str, type(None))))
    kind, text, name, state, single = expect(part, STANDING + (type,), str, (str, type(None)), dict, bool)
    if type(kind) is Standing or is_one_of(kind, BASES):
        raise ValueError("a value that is told")
    if type(kind) is not Untold:
        return make_untold(class_of_library(kind), text)
    if name is None or told_of(kind)[0] is None:
        return make_untold(kind, text)
    key = kind, name
    if not set(state) <= {"name", "value", "texts"} or not is_plain(state) or not are_texts(state.get("texts")):
        raise ValueError("a member of an enumeration")
    if key not in MEMBERS:
        MEMBERS[key] = make_untold(kind, text, state, single)
    return MEMBERS[key]


def unknown_class(key, name, keys, is_plain_class):
    if key not in CLASSES:
        made_of = "unknown", key, name, keys, is_plain_class
        CLASSES[key] = new_class(None, name, None, keys, {}, (), is_plain_class, True, made_of)
    return CLASSES[key]


def class_of_library(kind):
    """That of objects that cannot be told, of a class that is here as well."""
    keys = tuple(map(key_here, mro_of(kind)))
    return unknown_class(("?", keys), name_of(kind), keys, True)


def untold_of_name(name, text):
    return make_untold(unknown_class("?" + name, name, ("",), False), text)


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

    def pass_by(self, value):
        """One that `import *` has brought, which the check may never have to do with."""
        if object.__getattribute__(value, "is_watched"):
            object.__setattr__(value, "is_watched", False)
            self.alive -= 1

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
    is_copying = frame.f_code.co_name == "_slotnames"  # of copyreg, which handles them
    if event == "exception" and not is_copying and issubclass(arg[0], TypeError) and WATCH.concerns(frame) and not is_of_harness(arg[2]):
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


TEXTS = {}  # values, what they are made of and their texts, by id


def attributes_of(value):
    return vars(value) if hasattr(value, "__dict__") else {}


def text_as_told(self):
    """repr() of an object whose class has its own, as long as the object is as it was."""
    told = TEXTS.get(id(self))
    if told is None or told[0] is not self or not type(told[1]).__eq__(self, told[1]) or attributes_of(self) != told[2]:
        CALLER.fail("__repr__ of a %s of the snippet cannot be judged" % name_of(type(self)))
    return told[3]


def fill(base, value, plain):
    if base is list or base is bytearray:
        base.extend(value, plain)
    elif base is set:
        set.update(value, plain)
    elif base.__name__ == "OrderedDict":
        for key in plain:
            base.__setitem__(value, key, plain[key])
    elif base.__name__ == "defaultdict":
        base.__init__(value, plain.default_factory, plain)
    elif base.__name__ == "deque":
        base.__init__(value, plain, plain.maxlen)
    else:
        dict.update(value, plain)


def check_state(state, known):
    """The attributes of an object of those classes: what is told as it is, and what cannot be."""
    for name, value in state.items():
        is_untold = type(type(value)) is Untold
        is_method = (name in IMPLIED or has_one_of(known, name)) and does_something(value)
        if is_method or not is_untold and (name[:2] == "__" or not is_plain(value)):  # which Python may evaluate (__annotations__)
            raise ValueError("an attribute in the place of a method")


def make_of_library(kind, plain, text):
    """One of a class that the check has as well: a tuple with names is that, anything else cannot be told."""
    need("KINDS")
    module, _, name = told_of(kind)[1][0].rpartition(".") if type(kind) is Untold else key_of(kind).rpartition(".")
    real = vars(sys.modules.get(module, sys)).get(name)
    if plain_isinstance(real, type) and type(plain) is tuple and any(is_named_tuple(each) for each in mro_of(real)):
        return tuple.__new__(real, plain)
    return make_untold(kind if type(kind) is Untold else class_of_library(kind), text or "")


def make_subclass(part):
    maybe = str, type(None)
    if PROMPTED and is_prompted(part[0]):
        return prompted_value(part[0], part[1], *expect((part[2], part[4]), dict, maybe))
    kind, plain, state, text, member, texts = expect(part, STANDING + (type,), type(part[1]), dict, maybe, maybe, (tuple, type(None)))
    if type(kind) is not Standing:
        return make_of_library(kind, plain, text)
    base = type(plain)
    expect(tuple(state), *[str] * len(state))
    if not plain_issubclass(kind, base) or not is_one_of(base, BASES) and key_of(base) not in LIBRARY:
        raise ValueError("a class of another")
    check_state(state, mro_of(base))
    if (kind, member) in MEMBERS:
        return MEMBERS[kind, member]
    if base in (list, set, dict, bytearray) or base.__module__ == "collections":
        value = base.__new__(kind)
        fill(base, value, plain)
    else:
        value = base.__new__(kind, plain)
    if state:
        object.__getattribute__(value, "__dict__").update(state)
    if text is not None:
        TEXTS[id(value)] = value, plain, state, text
    if member is not None:
        MEMBERS[kind, member] = value
        TEXTS_OF_MEMBERS[id(value)] = value, member, texts if are_texts(texts) else None
    return value


CALLS_MAX = 10000
CALLS = {}  # that values came from which are told, by the id of each: of objects that are not, they have it themselves


class Flat(Teller):
    """What a value has, but of objects the call that they came from."""

    def put_made(self, value, kind, depth):
        found = call_of(value, kind)
        if found is None:
            return Teller.put_made(self, value, kind, depth)
        self.begin(value, True)
        self.out.append(b"x%d" % found[2])


def flat(*values):
    teller = Flat(is_argument=True)
    teller.put(values)
    return b"".join(teller.out)


def call_of(value, kind):
    """(name, arguments) of the call that an object came from, what those and itself had then, and its number; or None."""
    if type(kind) is Untold:
        return object.__getattribute__(value, "made_by")
    found = CALLS.get(id(value))
    return found[1] if found and found[0] is value else None


def content_of(value, kind):
    """Of one that is told, which the check may change."""
    return () if type(kind) is Untold else (PLAIN[base_of(kind)](value), attributes_of(value))


CALL_NUMBERS = iter(range(1 << 62))


def note_call(value, parts):
    """An object of a class of the snippet goes back as the call that it came from, which is made once more there."""
    need("KINDS")
    kind = type(value)
    is_untold = type(kind) is Untold
    if told_of(kind)[0] is None or not is_untold and (base_of(kind) not in PLAIN or id(value) in TEXTS_OF_MEMBERS):
        return value
    if is_untold and object.__getattribute__(value, "member") is not None:
        return value
    try:
        found = parts, flat(parts, content_of(value, kind)), next(CALL_NUMBERS)
    except Unfit:  # it has what is no argument
        return value
    if is_untold:
        object.__setattr__(value, "made_by", found)
    else:
        CALLS[id(value)] = value, found
        if len(CALLS) > CALLS_MAX:
            del CALLS[next(iter(CALLS))]
    return value


def call_again(value, kind):
    """As an argument."""
    parts, before, _ = call_of(value, kind)
    if flat(parts, content_of(value, kind)) != before:
        raise Unfit("a %s that has changed since the snippet made it, or that was made of what has" % kind_of_untold(value))
    return "made", parts


def name_of_member(value, kind):
    """Of one of an enumeration, which may be a number or a text as well; else None."""
    if type(kind) is Untold:
        return (object.__getattribute__(value, "member") or {}).get("name")
    _, name, _ = TEXTS_OF_MEMBERS.get(id(value), (None, None, None))
    return name if name is not None and MEMBERS.get((kind, name)) is value else None


def standing_argument(value, kind):
    """A class of the snippet, one of its enumerations or a tuple with names of it go back as what they are there."""
    is_class = is_one_of(kind, STANDING)
    path = told_of(value if is_class else kind)[0]
    if path is not None and is_class:
        return "function", path
    member = name_of_member(value, kind)
    if path is not None and member is not None:
        return "function", path + "." + member
    need("KINDS")
    base = base_of(kind) if plain_issubclass(kind, tuple) else None
    if path is not None and base is not None and is_named_tuple(base) and not getattr(value, "__dict__", None):
        return "namedtuple", (path, base._fields, tuple(tuple.__iter__(value)))
    if not is_class and call_of(value, kind):
        return call_again(value, kind)
    raise Unfit("a %s" % name_of(kind) if type(kind) is Standing else "a value that cannot be judged")


ASKED_THERE = {"__%s__" % each for each in USES if each not in ("call", "mro_entries", "instancecheck", "subclasscheck")} - set(dir(object))


class Instance(Function):
    """An object of a class of the snippet that can be called."""

    def __getattribute__(self, name):
        if name in ASKED_THERE:  # what is refused below is here alone: __getattr__() asks for it
            raise AttributeError(name)
        if name == "__class__" and sys._getframe(1).f_code.co_filename == CHECK:
            return class_of_callable(self)
        return object.__getattribute__(self, name)

    def __reduce__(self):
        return again, ("instance", path_of_function(self))


def refuse_instance(self, *args):
    CALLER.fail("%s of the snippet, an object, cannot be judged" % path_of_function(self))


for each in USES:
    if each not in ("call", "setattr", "instancecheck", "subclasscheck", "mro_entries"):
        setattr(Instance, "__%s__" % each, refuse_instance)


MAKERS.update({"subclass": make_subclass, "object": make_object, "class": class_here})
