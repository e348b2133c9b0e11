# SPDX-License-Identifier: Apache-2.0
# Values that asserting code and a snippet tell each other beyond those of literal.py, for the files of both: PROTOCOL.md. Each
# has a name of a list, and what it is made of. A module is imported when a value of it comes by.
# Special methods that a class may have of its own without being another thing to those who use its objects.
HARMLESS = frozenset("""__module__ __doc__ __dict__ __weakref__ __init__ __new__ __init_subclass__ __class_getitem__ __slots__ __annotations__
    __qualname__ __match_args__ __orig_bases__ __parameters__ __getnewargs__ __getnewargs_ex__ __reduce__ __reduce_ex__ __getstate__ __setstate__
    __copy__ __deepcopy__ __replace__ __static_attributes__ __firstlineno__ __annotate__ __annotate_func__ __annotations_cache__ __classcell__
    __set_name__ __dir__ __sizeof__ __del__ __hash__""".split())
# Classes and functions that hold nothing and do nothing but return something.
BUILTIN_NAMES = """bool int float complex str bytes bytearray list tuple dict set frozenset range object abs all any ascii bin chr divmod format
    hash hex len max min oct ord pow repr round sorted sum reversed zip map filter enumerate""".split()
# Modules of exceptions that arrive as themselves where asserting code has the module, too. None is a test framework's.
ERROR_MODULES = frozenset("""
    json json.decoder decimal re sre_constants re._constants subprocess zlib struct binascii csv _csv queue _queue socket ssl zipfile
    tarfile lzma _lzma configparser xml.parsers.expat xml.etree.ElementTree urllib.error http.client statistics dataclasses copy pickle
    _pickle io sqlite3 shutil asyncio asyncio.exceptions asyncio.queues concurrent.futures._base graphlib ipaddress zoneinfo
    zoneinfo._common tokenize argparse getopt locale tomllib calendar email.errors uuid ast string inspect multiprocessing.context select
    signal array math cmath
""".split())
BUILTINS = {name: vars(sys.modules["builtins"])[name] for name in BUILTIN_NAMES}
BUILTINS.update({kind.__name__: kind for kind in BUILT_IN})
NAMES_OF_BUILTINS = {id(found): name for name, found in BUILTINS.items()}
METHOD, BUILTIN_FUNCTION = type(str.upper), type(len)
KEYS, VALUES, ITEMS = type({}.keys()), type({}.values()), type({}.items())
ARRAY_CODES = frozenset("bBuhHiIlLqQfd")


def special_methods(kind, base):
    """Those that a class has of its own, or of another than its base."""
    found = set()
    for each in mro_of(kind):
        if each is base or each is object:
            continue
        if not issubclass(base, each):
            found.update(type.__getattribute__(each, "__dict__"))
    return tuple(sorted(n for n in found if type(n) is str and n[:2] == "__" == n[-2:] and n not in HARMLESS))


def zone_told(zone):
    """False: one that cannot be told."""
    return zone is None or type(zone) is type(sys.modules["datetime"].timezone.utc)


def time_parts(value):
    return (value.hour, value.minute, value.second, value.microsecond, value.fold, value.tzinfo) if zone_told(value.tzinfo) else None


def zone_parts(value):
    offset = value.__getinitargs__()
    return offset[:1] + (offset[1] if len(offset) > 1 else None,)


# By module and name: the name that is told, and what the value is made of; None: it cannot be told.
LIBRARY = {
    "collections.Counter": ("Counter", lambda v: dict(dict.items(v))),
    "collections.OrderedDict": ("OrderedDict", lambda v: {k: v[k] for k in v}),
    "collections.defaultdict": ("defaultdict", lambda v: (v.default_factory, dict(dict.items(v)))),
    "collections.deque": ("deque", lambda v: (list(v), v.maxlen)),
    "decimal.Decimal": ("Decimal", lambda v: without_limit(lambda: str(v))),
    "fractions.Fraction": ("Fraction", lambda v: (v.numerator, v.denominator)),
    "datetime.date": ("date", lambda v: (v.year, v.month, v.day)),
    "datetime.time": ("time", time_parts),
    "datetime.datetime": ("datetime", lambda v: time_parts(v) and (v.year, v.month, v.day) + time_parts(v)),
    "datetime.timedelta": ("timedelta", lambda v: (v.days, v.seconds, v.microseconds)),
    "datetime.timezone": ("timezone", zone_parts),
    "uuid.UUID": ("UUID", lambda v: v.bytes),
    "pathlib.PosixPath": ("Path", str),
    "pathlib.PurePosixPath": ("PurePath", str),
    "pathlib._local.PosixPath": ("Path", str),
    "pathlib._local.PurePosixPath": ("PurePath", str),
    "array.array": ("array", lambda v: (v.typecode, v.tolist()) if v.typecode in ARRAY_CODES else None),
}
BUILT_IN_KINDS = {
    frozenset: ("frozenset", set),
    bytearray: ("bytearray", bytes),
    range: ("range", lambda v: (v.start, v.stop, v.step)),
    slice: ("slice", lambda v: (v.start, v.stop, v.step)),
    memoryview: ("memoryview", lambda v: v.tobytes() if v.readonly and v.format == "B" and v.ndim == 1 else None),
    type(Ellipsis): ("Ellipsis", lambda v: None),
    type(NotImplemented): ("NotImplemented", lambda v: None),
    KEYS: ("dict_keys", list),
    VALUES: ("dict_values", list),
    ITEMS: ("dict_items", dict),
}
NONES = ("Ellipsis", "NotImplemented")  # which are made of None


def callable_name(value, kind):
    """The name of a function or class that the other side has as well, or None."""
    if id(value) in NAMES_OF_BUILTINS:
        return "builtin", NAMES_OF_BUILTINS[id(value)]
    if kind is METHOD and value.__name__[:2] != "__" and NAMES_OF_BUILTINS.get(id(value.__objclass__)) in BUILTIN_NAMES:
        return "builtin", value.__qualname__
    if kind is BUILTIN_FUNCTION and value.__module__ in ("math", "_operator"):
        return "builtin", value.__module__.lstrip("_") + "." + value.__name__
    if kind is PLAIN_FUNCTION and SPACE.get(value.__name__) is value:
        return "function", value.__name__
    return None


def of_library(value, kind):
    module = type.__getattribute__(kind, "__module__")
    found = LIBRARY.get(module + "." + name_of(kind)) if type(module) is str else None
    if found is None or vars(sys.modules.get(module, sys)).get(name_of(kind)) is not kind:
        return None
    part = found[1](value)
    return None if part is None else (found[0], part)


def named_tuple(value, kind):
    """A tuple with names, or None."""
    for base in mro_of(kind):
        own = type.__getattribute__(base, "__dict__")
        if "_make" in own and type(own.get("_fields")) is tuple and bases_of(base) == (tuple,):
            special = set(special_methods(kind, base)) | set(special_methods(base, tuple))
            return "namedtuple", (name_of(kind), own["_fields"], tuple(tuple.__iter__(value)), tuple(sorted(special - {"__repr__"})))
    return None


def subclass_parts(value, kind):
    for base, plain in ((int, int.__int__), (float, float.__float__), (str, str.__str__), (bytes, lambda v: bytes.__getitem__(v, slice(None))),
                        (list, lambda v: list(list.__iter__(v))), (tuple, lambda v: tuple(tuple.__iter__(v))),
                        (dict, lambda v: dict(dict.items(v))), (set, lambda v: set(set.__iter__(v))),
                        (frozenset, lambda v: frozenset(frozenset.__iter__(v))), (bytearray, lambda v: bytearray.__getitem__(v, slice(None))),
                        (complex, lambda v: complex(real_of(v), imag_of(v)))):
        if issubclass(kind, base):
            special = special_methods(kind, base)
            return "subclass", (name_of(kind), plain(value), special, repr(value) if "__repr__" in special else None)
    return None


def parts_of(value, kind):
    """The name of what a value is, and what it is made of; None: it cannot be told."""
    found = BUILT_IN_KINDS.get(kind)
    if found is not None:
        part = found[1](value)
        return None if part is None and found[0] not in NONES else (found[0], part)
    return callable_name(value, kind) or of_library(value, kind) or named_tuple(value, kind) or subclass_parts(value, kind)


def is_of_library(kind, module):
    return module in ERROR_MODULES and issubclass(kind, Exception) and vars(sys.modules.get(module, sys)).get(name_of(kind)) is kind


def class_told(kind, depth=0):
    """A class of exceptions: the name of one that is built in, else [id, name, module, bases, whether it is the module's own]."""
    if id(kind) in BUILT_IN_IDS or depth > 20:
        return name_of(kind) if id(kind) in BUILT_IN_IDS else "Exception"
    own = type.__getattribute__(kind, "__module__")
    module = own if type(own) is str else ""
    bases = [base for base in bases_of(kind) if issubclass(base, BaseException)]
    return [id(kind), name_of(kind), module, [class_told(base, depth + 1) for base in bases], is_of_library(kind, module)]


def error_told(error):
    """[class, the arguments that one like it is made of, attributes]."""
    kind = type(error)
    base = next(base for base in mro_of(kind) if id(base) in BUILT_IN_IDS)
    reduced = base.__reduce__(error)
    state = reduced[2] if len(reduced) > 2 and type(reduced[2]) is dict else {}
    return [class_told(kind), tuple(reduced[1]), {k: v for k, v in state.items() if type(k) is str and k != "obj"}]


def argument_parts(value, kind):
    """An object of a class that the snippet has no part in is no argument, nor is one that cannot be told."""
    if kind is Function:
        return "function", value.__name__
    made = parts_of(value, kind)
    if made is None or made[0] == "subclass" or made[0] == "namedtuple" and made[1][3]:
        raise Unfit("a %s" % name_of(kind) if kind is not Missing else "a value that cannot be judged")
    return made


# --- reading ---------------------------------------------------------------------------------------------------------------------


def expect(part, *kinds):
    """The parts, each of exactly one of the types that are asked of it."""
    parts = part if type(part) is tuple else (part,)
    if len(parts) != len(kinds) or not all(type(p) in (k if type(k) is tuple else (k,)) for p, k in zip(parts, kinds)):
        raise ValueError("made of other parts")
    return part


def ints(part, n):
    return expect(part, *[int] * n)


def of(module, name):
    return getattr(__import__(module), name)


def make_zoned(name, part, n):
    """A time, or a date with one. The zone is one that was made."""
    zone = part[n + 1]
    if zone is not None and type(zone) is not of("datetime", "timezone"):
        raise ValueError("a zone")
    ints(part[:n + 1], n + 1)
    return of("datetime", name)(*part[:n], tzinfo=zone, fold=part[n])


def make_zone(part):
    offset, name = part
    expect(part, of("datetime", "timedelta"), (str, type(None)))
    return of("datetime", "timezone")(*(offset,) if name is None else part)


def make_builtin(name):
    first, _, rest = expect(name, str).partition(".")
    if not rest:
        return BUILTINS[first]
    if first not in ("math", "operator") and first not in BUILTIN_NAMES or rest[:2] == "__":
        raise ValueError("a function")
    found = vars(__import__(first) if first in ("math", "operator") else BUILTINS[first])[rest]
    if type(found) not in (METHOD, BUILTIN_FUNCTION):
        raise ValueError("a function")
    return found


def named_tuple_class(name, fields, found={}):
    own = SPACE.get(name)
    if isinstance(own, type) and issubclass(own, tuple) and getattr(own, "_fields", None) == fields:
        return own
    if (name, fields) not in found:
        expect(name, str)
        expect(fields, *[str] * len(fields))
        found[name, fields] = of("collections", "namedtuple")(name, fields)
    return found[name, fields]


def make_named_tuple(part):
    name, fields, values, _ = expect(part, str, tuple, tuple, tuple)
    return named_tuple_class(name, fields)(*values)


def make_array(part):
    code, items = expect(part, str, list)
    if code not in ARRAY_CODES:
        raise ValueError("an array")
    return of("array", "array")(code, items)


def make_function(name):
    return SPACE[name]


def make_path(kind, part):
    return of("pathlib", kind)(expect(part, str))


MAKERS = {
    "Counter": lambda part: of("collections", "Counter")(part),
    "OrderedDict": lambda part: of("collections", "OrderedDict")(part),
    "defaultdict": lambda part: of("collections", "defaultdict")(*part),
    "deque": lambda part: of("collections", "deque")(*expect(part, list, (int, type(None)))),
    "Decimal": lambda part: without_limit(lambda: of("decimal", "Decimal")(part)),
    "Fraction": lambda part: of("fractions", "Fraction")(*ints(part, 2)),
    "date": lambda part: of("datetime", "date")(*ints(part, 3)),
    "time": lambda part: make_zoned("time", part, 4),
    "datetime": lambda part: make_zoned("datetime", part, 7),
    "timedelta": lambda part: of("datetime", "timedelta")(*ints(part, 3)),
    "timezone": make_zone,
    "UUID": lambda part: of("uuid", "UUID")(bytes=part),
    "Path": lambda part: make_path("Path", part),
    "PurePath": lambda part: make_path("PurePosixPath", part),
    "array": make_array,
    "frozenset": frozenset,
    "bytearray": bytearray,
    "range": lambda part: range(*ints(part, 3)),
    "slice": lambda part: slice(*part),
    "memoryview": memoryview,
    "Ellipsis": lambda part: Ellipsis,
    "NotImplemented": lambda part: NotImplemented,
    "dict_keys": lambda part: dict.fromkeys(part).keys(),
    "dict_values": lambda part: dict(enumerate(part)).values(),
    "dict_items": lambda part: part.items(),
    "builtin": make_builtin,
    "namedtuple": make_named_tuple,
    "function": make_function,
}


if "TOLD" in globals():
    need("TOLD")
