# SPDX-License-Identifier: Apache-2.0
# What asserting code sees of classes of a snippet, their objects, and values that cannot be told: it is compiled when the first comes by.


# --- classes of the snippet ------------------------------------------------------------------------------------------------------

need("MADE")
MADE_OF = "__made__"  # of a class that stands for one there: what makes it once more
TOLD_OF = "__told__"  # and the name it has there or None, keys of it and its bases, whether it is a plain class
OF_BASES = frozenset("builtins." + base.__name__ for base in BASES)
CLASSES, USED = {}, set()  # classes by their keys, and which the check has asked something of
UNIONS = ("UnionType", "_UnionGenericAlias", "_Union", "Union")


def told_of(cls):
    return own_space(cls)[TOLD_OF]


def refuse_class(cls, *args, **kwargs):
    CALLER.fail("what is asked of class %s of the snippet cannot be judged" % name_of(cls))


class Refused(object):
    """What a class of the snippet has under a name, and is not told."""

    def __init__(self, name):
        self.name = name

    def __get__(self, value, kind=None):
        path = told_of(kind)[0] if value is None and type(kind) in STANDING and self.name[:2] != "__" else None
        if path is not None:
            return Standing.__getattr__(kind, self.name)
        self.refuse(type(value) if value is not None else kind)

    def __getattr__(self, name):  # where vars() of the class is gone through
        CALLER.fail("%s of a class of the snippet cannot be judged" % self.name)

    __class__ = property(lambda self: Refused.__getattr__(self, "") if self.name == "__annotations__" else Refused)

    def refuse(self, kind, *args):
        CALLER.fail("%s of a %s of the snippet cannot be judged" % (self.name, name_of(kind if plain_isinstance(kind, type) else type(kind))))

    __set__ = __delete__ = refuse


class Standing(type):
    """Of classes that stand for those of the snippet. To call one is to call that."""

    def __new__(*args, **kwargs):
        CALLER.fail("a class cannot be made here of one of the snippet's")

    def __call__(*args, **kwargs):
        path = told_of(args[0])[0]
        return refuse_class(args[0]) if path is None else call(path, args[1:], kwargs, False)

    def __getattr__(cls, name):
        if name == "__signature__":
            refuse_class(cls)
        if name == "__members__" and "enum.Enum" in told_of(cls)[1]:
            return going_through(name)(cls)
        path = told_of(cls)[0]
        found = NOTHING if path is None else look_up("%s.%s" % (path, name))
        if found is NOTHING:
            raise AttributeError("type object '%s' has no attribute '%s'" % (name_of(cls), name))
        return found

    def __setattr__(cls, name, value):
        if name != "__slotnames__":  # which copying and pickling do
            CALLER.fail("%s.%s is set, which the snippet does not see" % (name_of(cls), name))

    def __repr__(cls):
        return "<class 'solution.%s'>" % (told_of(cls)[0] or name_of(cls))

    def __eq__(cls, other):
        if not told_of(cls)[2] or plain_isinstance(other, type) and type(other) in STANDING and not told_of(other)[2]:
            refuse_class(cls)
        if cls is other or not plain_isinstance(other, type):
            return cls is other or NotImplemented
        keys = told_of(cls)[1]
        if type(other) not in STANDING:
            return keys[0] == key_here(other) if keys[0] else is_here(other) and refuse_class(cls)
        theirs = told_of(other)[1][0]
        return keys[0] == theirs if keys[0] or theirs else refuse_class(cls)

    def __ne__(cls, other):
        is_equal = Standing.__eq__(cls, other)
        return is_equal if is_equal is NotImplemented else not is_equal

    def __hash__(cls):
        is_known = told_of(cls)[1][0][:1] == "=" and told_of(cls)[2] or sys._getframe(1).f_code.co_filename == HARNESS
        return type.__hash__(cls) if is_known else refuse_class(cls)

    def __instancecheck__(cls, value):
        kind = type(value)
        if type(kind) in STANDING:
            return is_of_kind(kind, cls)
        note_use(cls)
        return refuse_class(cls) if not told_of(cls)[2] or plain_isinstance(value, BaseException) else False

    def __subclasscheck__(cls, kind):
        if type(kind) in STANDING:
            return is_of_kind(kind, cls)
        note_use(cls)
        return refuse_class(cls) if not told_of(cls)[2] or is_one_of(kind, OTHERS.values()) else False


def going_through(name):
    def go(cls, *args):
        need("ENUMS")
        return GOING[name](cls, *args)
    return go


Standing.__dir__ = refuse_class
for each in "add radd and rand sub mul lt le gt ge bool int float index next".split():
    setattr(Standing, "__%s__" % each, refuse_class)
for each in "__iter__", "__reversed__", "__len__", "__contains__", "__getitem__":
    setattr(Standing, each, going_through(each))


class Untold(Standing):
    """Of those whose objects cannot be told: what such a class has is asked for."""

    def __getattribute__(cls, name):
        if name in ("__name__", "__class__"):
            return type.__getattribute__(cls, name)
        if told_of(cls)[0] is None:
            CALLER.fail("the snippet returned a value whose type cannot be judged")
        return Standing.__getattr__(cls, name)


STANDING = (Standing, Untold)
for each in STANDING:
    of("copyreg", "pickle")(each, lambda cls: need("COPIED") or reduced_class(cls))


def key_here(kind):
    """As key_of(), and of a class of exceptions of the snippet one that it has here."""
    return "!%d" % id(kind) if is_one_of(kind, OTHERS.values()) else key_of(kind)


def is_here(kind):
    """A class that values of the snippet may be of, too."""
    return kind.__module__ != "__main__" or issubclass(kind, tuple)


def note_use(*kinds):
    """What the check, or what it calls, asks of a class is asked of the snippet once, so that csbx knows of it."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename == HARNESS:
        frame = frame.f_back
    if CHECK not in (frame.f_code.co_filename, frame.f_back and frame.f_back.f_code.co_filename):
        return
    for kind in kinds:
        path = told_of(kind)[0] if type(kind) in STANDING else None
        if path is not None and path not in USED:
            USED.add(path)
            CALLER.value_of_name(path + ".__name__")


def is_of_kind(own, kind):
    """Whether a class that stands for one of the snippet's is one, by what was told of it."""
    if type(kind) is tuple:
        return any([is_of_kind(own, each) for each in kind])
    if type(kind).__name__ in UNIONS:
        return is_of_kind(own, tuple(kind.__args__))
    if kind is own or kind is object:
        return True
    keys = told_of(own)[1]
    if type(kind) in STANDING:
        key, is_plain_class = told_of(kind)[1][0], told_of(kind)[2]
        return key in keys if key and (is_plain_class or key in keys) else refuse_class(kind)
    if not plain_isinstance(kind, type):
        return plain_issubclass(own, kind)
    if is_one_of(kind, mro_of(own)) or (key_here(kind) or None) in keys:
        return True
    is_simple = type(kind) is type or is_one_of(kind, OTHERS.values())
    if is_simple or type(own) is Standing:
        return not is_simple and plain_issubclass(own, kind)
    CALLER.fail("the snippet returned a %s, which cannot be judged" % name_of(own))


def library_class(key):
    """The class itself, where the check has it as well, or one that is never called where it may do more than make an object."""
    module, _, name = key.rpartition(".")
    is_loaded_here = key in LIBRARY or module in ENUM_MODULES
    found = of(module, name) if is_loaded_here else vars(sys.modules.get(module, sys)).get(name)
    if not plain_isinstance(found, type) or key_of(found) != key:
        return None
    is_harmless_class = key in LIBRARY or module in CLASS_MODULES or module in ENUM_MODULES and is_enum(found)
    return found if is_harmless_class else class_of_library(found)


def class_here(part):
    """The class here for one there: itself, where both have it, or one that stands for it."""
    told, name, path, keys, shown, refused, is_plain_class, has_attributes = expect(
        part, (type(None), type, str, tuple), str, (str, type(None)), tuple, dict, tuple, bool, bool)
    for names in keys, refused, tuple(shown):
        expect(names, *[str] * len(names))
    if any(key.startswith(each + ".") for each in modules_of_check() for key in keys):
        return unknown_class("?" + name, name, ("",), False)
    key = keys[0]
    found = library_class(key) if "." in key and key[0] != "=" else CLASSES.get(key)
    if found is None:
        if not is_of_base(base_here(name, told), keys):
            raise ValueError("a class")
        found = new_class(told, name, path, keys, shown, refused, is_plain_class, has_attributes, ("class",) + part)
        if key:
            CLASSES[key] = found
    return found


def is_of_base(base, keys):
    """
    A class has no others of those whose values are told than the one that its objects are told by. One whose objects cannot be
    told has no built-in one, and of the library's one and what that is made of.
    """
    if base is not Missing:
        known = [key_of(each) for each in mro_of(base)]
        return all(key in known for key in keys if key in LIBRARY or key.startswith("builtins."))
    own = [of(*key.rpartition(".")[::2]) for key in keys if key in LIBRARY and key.rpartition(".")[0] in sys.modules]
    first = own[0] if own else object
    return all(plain_issubclass(first, each) for each in own) and not any(key in OF_BASES for key in keys)


def has_one_of(kinds, name):
    return any(name in own_space(each) for each in kinds)


# What Python and its library call though asserting code has not named it.
IMPLIED = frozenset("""keys items split subgroup derive isoformat utcoffset tzname dst fromutc as_integer_ratio as_tuple numerator denominator real
    imag conjugate fileno read readline write flush close send throw acquire release pytestmark""".split())


def does_something(value):
    return has_one_of(mro_of(type(value)), "__call__") and type(type(value)) is not Untold


def space_here(known, shown, refused):
    """What a class of the snippet has here: nothing that does something in the place of what the classes have that it is made of."""
    def is_seen(name, value):
        return is_shown(name, value) and not (does_something(value) and (name in IMPLIED or has_one_of(known, name)))
    space = {name: value if is_seen(name, value) else Refused(name) for name, value in shown.items()}
    space.update((name, Refused(name)) for name in refused)
    return space


def new_class(told, name, path, keys, shown, refused, is_plain_class, has_attributes, made_of):
    key, base = keys[0], base_here(name, told)
    space = space_here(mro_of(base), shown, refused)
    module = key.rpartition(".")[0]
    space.update(__module__=module if module in sys.modules else "solution", __qualname__=name)
    space[TOLD_OF], space[MADE_OF] = (path, keys, is_plain_class), made_of
    if name_of(base) in COLLECTIONS or is_one_of(base, (set, frozenset, bytearray)):  # which call the class for a copy
        need("COPIED")
        copy_without_call(space, refused)
    if "__repr__" in space:
        space["__repr__"] = text_as_told
    if "enum.Enum" in keys and base is not Missing:
        need("ENUMS")
        space.update(WAYS_OF_MEMBERS)
    if not has_attributes:
        space["__slots__"] = ()
    return type.__new__(Untold if told is None else Standing, name, (base,), space)


def base_here(name, told):
    if told is None:
        return Missing
    if type(told) is tuple:
        return named_tuple_base(name, *told)
    if type(told) is str and told in COLLECTIONS:
        return of("collections", told)
    if not is_one_of(told, BASES):
        raise ValueError("a class")
    return told


def named_tuple_base(name, fields, defaults):
    expect((fields, defaults), tuple, tuple)
    expect(fields, *[str] * len(fields))
    base = of("collections", "namedtuple")(name, fields)
    base.__new__.__defaults__ = defaults or None
    base._field_defaults = dict(zip(fields[len(fields) - len(defaults):], defaults))
    return base


def isinstance_of_other(value, kind):
    """isinstance(), of a value whose class stands for another, or of such a class."""
    own = type(value)
    if not is_one_of(own, STANDING):
        return is_of_kind(own, kind)
    note_use(value)
    if type(kind) is tuple:
        return any([isinstance_of_other(value, each) for each in kind])
    if kind is not type and kind is not object and plain_isinstance(kind, type) and plain_issubclass(kind, type):
        refuse_class(value)
    return kind is type or plain_isinstance(value, kind)


def issubclass_of_other(kind, kinds):
    note_use(kind, *kinds if type(kinds) is tuple else (kinds,))
    return is_of_kind(kind, kinds)


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


def hash_of_untold(self):
    return object.__hash__(self) if is_single(self) else refuse(self)


# Stands for a value that cannot be told. It may be shown by its repr(), and kept. Anything else would be told to asserting code as a
# TypeError, an AttributeError or as False, which may be what it expects of the snippet.
Missing = type.__new__(Untold, "Missing", (object,), dict(
    REFUSED, __str__=str_of_untold, __format__=format_of_untold, __del__=end_untold, __getattribute__=attribute_of_untold, __repr__=lambda self: object.__getattribute__(self, "text"),
    __eq__=equals_untold, __ne__=differs_from_untold, __bool__=truth_of_untold, __hash__=hash_of_untold, **{TOLD_OF: (None, ("",), False), MADE_OF: None}))
MEMBERS = {}  # of enumerations, by class and name
TEXTS_OF_MEMBERS = {}  # by id, of those that are values of a built-in class: each with its name, and what str() and format() of it are


def is_single(value):
    return object.__getattribute__(value, "is_single")


def make_untold(kind, text, member=None, single=False):
    value = object.__new__(kind)
    for name, own in ("text", text), ("member", member), ("is_single", single):
        object.__setattr__(value, name, own)
    is_watched = member is None and told_of(kind)[1][0] != "builtins.module"  # which `from solution import *` brings
    object.__setattr__(value, "is_watched", is_watched)
    WATCH.alive += is_watched
    return value


def make_object(part):
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


def standing_argument(value, kind):
    """A class of the snippet, one of its enumerations or a tuple with names of it go back as what they are there."""
    is_class = is_one_of(kind, STANDING)
    path = told_of(value if is_class else kind)[0]
    member = object.__getattribute__(value, "member") if type(kind) is Untold else None
    if path is not None and is_class:
        return "function", path
    if path is not None and member is not None:
        return "function", path + "." + member["name"]
    need("KINDS")
    base = base_of(kind) if plain_issubclass(kind, tuple) else None
    if path is not None and base is not None and is_named_tuple(base) and not getattr(value, "__dict__", None):
        return "namedtuple", (path, base._fields, tuple(tuple.__iter__(value)))
    raise Unfit("a %s" % name_of(kind) if type(kind) is Standing else "a value that cannot be judged")


class Instance(Function):
    """An object of a class of the snippet that can be called."""

    def __reduce__(self):
        return again, ("instance", path_of_function(self))


def refuse_instance(self, *args):
    CALLER.fail("%s of the snippet, an object, cannot be judged" % path_of_function(self))


for each in USES:
    if each not in ("call", "setattr", "instancecheck", "subclasscheck", "mro_entries"):
        setattr(Instance, "__%s__" % each, refuse_instance)


MAKERS.update({"subclass": make_subclass, "object": make_object, "class": class_here})
