# SPDX-License-Identifier: Apache-2.0
# How classes that are not of made.py are told, and objects of them. It is compiled when the first comes by.
# Those that the classes of collections.namedtuple() and typing.NamedTuple have.
NAMED_TUPLES = frozenset("""_make _fields _replace _asdict _field_defaults _field_types _fields_defaults _source __new__ __repr__ __getnewargs__
    __replace__ __getstate__ __match_args__""".split())
DICT_OFFSET = type.__dict__["__dictoffset__"].__get__


def is_named_tuple(kind):
    own = own_space(kind)
    return "_make" in own and type(own.get("_fields")) is tuple and bases_of(kind) == (tuple,)


def is_of_snippet_code(value):
    return getattr(getattr(value, "__func__", value), "__globals__", None) is SPACE


def named_tuple_members(kind, base):
    """What a class has beyond what makes tuples with names, without their defaults."""
    def is_usual(name, value):
        if name in own["_fields"]:
            return type(getattr(value, "fget", None)).__name__ == "itemgetter" or type(value).__name__ == "_tuplegetter"
        if name == "__match_args__":
            return type(value) is tuple and value == own["_fields"]
        return name in NAMED_TUPLES and not is_of_snippet_code(value)
    own = own_space(base)
    usual = [name for name, value in own.items() if is_usual(name, value)]
    return {name: value for name, value in members(kind, mro_of(tuple)).items() if name not in usual or value is not own[name]}


def base_of(kind):
    """The class that another is made of and that both sides have, or None."""
    for base in mro_of(kind):
        if is_one_of(base, BASES) or is_named_tuple(base) or name_of(base) in COLLECTIONS and key_of(base) == "collections." + name_of(base):
            return base
    return None


def class_parts(kind):
    """(what it is made of, name, the name it stands under or None, keys of it and its bases, values, names of what cannot be told, whether
    its class is type, whether its objects have attributes of their own)"""
    base, shown, refused = base_of(kind), {}, ()
    told = base
    if base is not None and is_named_tuple(base):
        found = named_tuple_members(kind, base)
        defaults = getattr(base.__new__, "__defaults__", None) or ()
        if not is_plain(defaults):
            defaults = ()
            found.update(__new__=None.__new__, _field_defaults=None.__new__)
        told = own_space(base)["_fields"], defaults
        shown, refused = shown_and_refused(found)
    elif base is not None:
        found = members(kind, mro_of(base))
        if is_enum(kind):  # which are told of each object, and asked for
            found = {name: value for name, value in found.items() if name not in ("name", "value", "_name_", "_value_")}
        told = name_of(base) if not is_one_of(base, BASES) else base
        shown, refused = shown_and_refused(found)
    keys = tuple(map(key_of, mro_of(kind)))
    path = path_of(kind, type.__getattribute__(kind, "__qualname__"))
    return told, name_of(kind)[:200], path, keys, shown, refused, has_plain_class(kind), bool(DICT_OFFSET(kind))


def has_plain_class(kind):
    """One of which those objects are that it was made for, and no others by what it says."""
    if type(kind) is type or is_enum(kind):
        return True
    if type(kind) is not getattr(sys.modules.get("abc"), "ABCMeta", None) or not hasattr(sys.modules.get("_abc"), "_get_dump"):
        return False
    has_hook = any("__subclasshook__" in own_space(each) for each in mro_of(kind) if each is not object)
    return not has_hook and not sys.modules["_abc"]._get_dump(kind)[0]


def state_of(value, kind):
    """The attributes of an object."""
    try:
        own = dict(object.__getattribute__(value, "__dict__")) if DICT_OFFSET(kind) else {}
    except BaseException:
        return {}
    if is_enum(kind):
        own.update(name=own.get("_name_"), value=own.get("_value_"))
    return {name: item if is_plain(item) and name[:2] != "__" else Part(item) for name, item in own.items() if type(name) is str}


class Part(object):
    """A value of another that is not told."""

    def __init__(self, value):
        self.value = value


def subclass_parts(value, kind):
    base = base_of(kind)
    if base is None or is_one_of(kind, BASES):
        return None
    plain = PLAIN.get(base) or (PLAIN[tuple] if is_named_tuple(base) else None)
    part = plain(value) if plain else LIBRARY["collections." + name_of(base)][1](value)
    if not plain:
        part = make(name_of(base), part)
    has_text = any("__repr__" in own_space(each) for each in mro_of(kind)[:mro_of(kind).index(base)])
    member = member_name(value, kind)
    return "subclass", (kind, part, state_of(value, kind), text_of(value) if has_text else None, member, member and texts_of(value))


PLAIN = {int: int.__int__, float: float.__float__, str: str.__str__, bytes: lambda v: bytes.__getitem__(v, slice(None)),
         list: lambda v: list(list.__iter__(v)), tuple: lambda v: tuple(tuple.__iter__(v)), dict: lambda v: dict(dict.items(v)),
         set: lambda v: set(set.__iter__(v)), frozenset: lambda v: frozenset(frozenset.__iter__(v)),
         bytearray: lambda v: bytearray.__getitem__(v, slice(None)), complex: lambda v: complex(real_of(v), imag_of(v))}


def member_parts(value, kind):
    """One of an enumeration that both sides have."""
    module = type.__getattribute__(kind, "__module__")
    if not is_enum(kind) or module not in ENUM_MODULES or vars(sys.modules[module]).get(name_of(kind)) is not kind:
        return None
    return "member", (module, name_of(kind), value._value_)


def member_name(value, kind):
    """That of one of an enumeration, of which there is no other."""
    name = value._name_ if is_enum(kind) else None
    return name if type(name) is str and own_space(kind)["_member_map_"].get(name) is value else None


def texts_of(value):
    """What str() and format() of a member of an enumeration are, as its repr() is."""
    try:
        return str.__str__(str(value)), str.__str__(format(value, ""))
    except BaseException:
        return None


def object_parts(value, kind):
    """What cannot be told: its class, its text, and where it is one of an enumeration, its name, and whether it is equal to itself
    alone and true."""
    if kind is Part:
        return object_parts(value.value, type(value.value))
    name = member_name(value, kind)
    state = {"name": name, "texts": texts_of(value)} if name else {}
    if name and is_plain(value._value_):
        state["value"] = value._value_
    own = set(members(kind, mro_of(sys.modules["enum"].Enum))) if name else ()
    return "object", (kind, text_of(value)[:BYTES_MAX], name, state, {"__eq__", "__ne__", "__hash__", "__bool__", "__len__"}.isdisjoint(own))


def rare_parts(value, kind):
    if issubclass(kind, type):
        return "class", class_parts(value)
    if issubclass(kind, BaseException):
        return exception_parts(value, kind)
    return member_parts(value, kind) or subclass_parts(value, kind) or object_parts(value, kind)


def exception_parts(value, kind):
    """One that is not raised."""
    try:
        return "exception", (name_of(kind), built_in_base(kind), str.__str__(str(value)), error_told(value))
    except BaseException:
        return object_parts(value, kind)
