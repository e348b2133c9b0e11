# SPDX-License-Identifier: Apache-2.0
# What asserting code sees of classes of a snippet: it is compiled when the first comes by, and objects.py with it.


# --- classes of the snippet ------------------------------------------------------------------------------------------------------

need("MADE")
MADE_OF = "__made__"  # of a class that stands for one there: what makes it once more
TOLD_OF = "__told__"  # and the name it has there or None, keys of it and its bases, whether it is a plain class
OF_BASES = frozenset("builtins." + base.__name__ for base in BASES)
CLASSES = {}  # by their keys
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
        if other is Instance:
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


def attribute_of_standing(cls, name):
    """What is refused and gone through below is no attribute of the class, which may have one of that name."""
    if name in NOT_ITS_OWN and not has_one_of(mro_of(cls), name) and not (name in OF_ENUMS and "enum.Enum" in told_of(cls)[1]):
        raise AttributeError(name)
    return type.__getattribute__(cls, name)


Standing.__dir__, Standing.__getattribute__ = refuse_class, attribute_of_standing
OF_ENUMS = "__iter__", "__reversed__", "__len__", "__contains__", "__getitem__"
NOT_ITS_OWN = OF_ENUMS + tuple("__%s__" % each for each in "add radd and rand sub mul lt le gt ge bool int float index next".split())
for each in NOT_ITS_OWN:
    setattr(Standing, each, refuse_class)
for each in OF_ENUMS:
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
    for kind in kinds:
        if type(kind) in STANDING:
            note_asked(told_of(kind)[0])


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
    prompted = prompted_class(part) if PROMPTED else None
    if prompted is not None:
        return prompted
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


def asks_for_methods(kind):
    """An abstract class, or an alias of one: it looks for methods in the class of what it is asked of."""
    return type.__getattribute__(type(kind), "__module__") in ("abc", "typing")


def isinstance_of_other(value, kind):
    """isinstance(), of a value whose class stands for another, or of such a class."""
    own = type(value)
    if not is_one_of(own, STANDING) and own is not Instance:
        return is_of_kind(own, kind)
    if own is not Instance:
        note_use(value)
    if type(kind).__name__ in UNIONS:
        kind = tuple(kind.__args__)
    if type(kind) is tuple:
        return any([isinstance_of_other(value, each) for each in kind])
    if own is Instance:
        if kind is sys.modules["_collections_abc"].Callable or type(kind) is type and (kind is object or not is_asked_by_check()):
            return plain_isinstance(value, kind)
        return issubclass_if_told(class_of_callable(value), kind)
    return kind is type or kind is object or isinstance_of_class(value, kind)


def isinstance_of_class(cls, kind):
    """
    What classes have that stand for the snippet's (Standing.__iter__) is none of theirs: an abstract class is asked about another one
    of the same class. A protocol may ask for what the class itself has.
    """
    if plain_isinstance(kind, type) and plain_issubclass(kind, type):
        refuse_class(cls)
    if not asks_for_methods(kind):
        return plain_isinstance(cls, kind)
    if not told_of(cls)[2] or getattr(kind, "_is_protocol", False):
        refuse_class(cls)
    return plain_isinstance(of("enum", "Enum") if "enum.Enum" in told_of(cls)[1] else object, kind)


def issubclass_of_other(kind, kinds):
    note_use(kind, *kinds if type(kinds) is tuple else (kinds,))
    return is_of_kind(kind, kinds)


need("OBJECTS")
