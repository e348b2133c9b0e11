# SPDX-License-Identifier: Apache-2.0
# Values that asserting code and a snippet tell each other beyond those of literal.py, for the files of both: PROTOCOL.md. Each
# has a name of a list, and what it is made of. A module is imported when a value of it comes by.
# Names that a class may have of its own without being another thing to those who use it or its objects.
HARMLESS = frozenset("""__module__ __dict__ __weakref__ __init_subclass__ __class_getitem__ __slots__ __qualname__ __orig_bases__
    __parameters__ __static_attributes__ __firstlineno__ __annotate__ __annotate_func__ __annotations_cache__ __classcell__ __set_name__ __sizeof__
    __del__ __abstractmethods__ _abc_impl""".split())
# Classes and functions that hold nothing and do nothing but return something.
BUILTIN_NAMES = """bool int float complex str bytes bytearray list tuple dict set frozenset range object abs all any ascii bin chr divmod format
    hash hex len max min oct ord pow repr round sorted sum reversed zip map filter enumerate""".split()
# Modules that are imported for their exceptions where asserting code has not done so: it may do so when it has caught one.
ERROR_MODULES = frozenset("""
    json json.decoder decimal re sre_constants re._constants subprocess zlib struct binascii csv _csv queue _queue socket ssl zipfile
    tarfile lzma _lzma configparser xml.parsers.expat xml.etree.ElementTree urllib.error http.client statistics dataclasses copy pickle
    _pickle io sqlite3 shutil graphlib ipaddress zoneinfo zoneinfo._common tokenize argparse getopt locale tomllib calendar email.errors uuid
    ast string inspect select signal array math cmath
""".split())
# Their exceptions say what becomes of a test, and are no snippet's to raise.
FRAMEWORKS = frozenset("pytest _pytest unittest unittest2 doctest nose hypothesis testtools twisted".split())
# Modules of whose classes asserting code has those of the snippet as themselves: they do nothing but make objects.
CLASS_MODULES = frozenset("""builtins collections collections.abc decimal fractions datetime enum numbers abc typing types pathlib pathlib._local uuid
    array string ipaddress time""".split())
BUILTINS = {name: vars(sys.modules["builtins"])[name] for name in BUILTIN_NAMES}
BUILTINS.update({kind.__name__: kind for kind in BUILT_IN})
NAMES_OF_BUILTINS = {id(found): name for name, found in BUILTINS.items()}
METHOD, BUILTIN_FUNCTION = type(str.upper), type(len)
KEYS, VALUES, ITEMS = type({}.keys()), type({}.values()), type({}.items())
ARRAY_CODES = frozenset("bBuhHiIlLqQfd")


names_of_module = vars(type(sys))["__dict__"].__get__


def own_space(kind):
    return type.__getattribute__(kind, "__dict__")


def is_one_of(kind, kinds):
    """A metaclass may say that two are equal."""
    return any(kind is each for each in kinds)


def members(kind, known):
    """What stands under the names that a class has of its own, or of another than those."""
    found = {}
    for each in reversed(mro_of(kind)):
        for name, value in list(own_space(each).items()):
            if is_one_of(each, known):
                found.pop(name, None)
            elif type(name) is str and name not in HARMLESS:
                found[name] = value
    return found


def is_plain(value, depth=0):
    """One that is told without any code of the snippet's, and means the same in a class there and here."""
    kind = type(value)
    if kind in LEAVES or id(value) in NAMES_OF_BUILTINS:
        return True
    if depth > 5 or kind not in (list, tuple, set, frozenset, dict) or len(value) > 1000:
        return False
    parts = list(value.items()) if kind is dict else value
    return all(is_plain(part, depth + 1) for part in parts)


def is_shown(name, value):
    """Python itself looks under names with two underscores: what stands there says what an object does, whatever it is made of."""
    if name == "__annotations__":
        return are_annotations(value)
    if name[:2] == "__" and name != "__doc__":
        return name == "__hash__" and value is None
    return is_plain(value)


def are_annotations(found):
    """
    Built-in classes. typing.get_type_hints() and its like evaluate texts where asserting code is, and what a text names may be a text
    itself; dataclasses make code of the names.
    """
    def is_class(value):
        return value is None or id(value) in NAMES_OF_BUILTINS or type(value) in (list, tuple) and all(map(is_class, value))
    return type(found) is dict and is_plain(found) and all(
        type(name) is str and str.isidentifier(name) and is_class(value) for name, value in found.items())


def shown_and_refused(found):
    """[{name: value}, names], of what a class has."""
    shown = {name: value for name, value in found.items() if is_shown(name, value)}
    return [shown, tuple(sorted(name for name in found if name not in shown))]


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
    "time.struct_time": ("struct_time", lambda v: v.__reduce__()[1]),
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


def path_of(found, name):
    """The name of the snippet that a class or a function stands under, or None."""
    at, space = None, SPACE
    for part in name.split(".") if type(name) is str else ():
        at = space.get(part)
        space = own_space(at) if issubclass(type(at), type) else {}
    if type(at) is staticmethod:
        at = at.__func__
    elif type(found) is PLAIN_FUNCTION and "." in name:  # which needs an object
        at = None
    if at is found:
        return name
    return next((n for n, value in list(SPACE.items()) if value is found and type(n) is str and n[:2] != "__"), None)


def space_of(at):
    """What a module or a class has of its own, as it is."""
    return names_of_module(at) if issubclass(type(at), type(sys)) else own_space(at) if issubclass(type(at), type) else {}


def key_of(kind):
    """What one side knows a class of the other by: "=" and its name in the snippet, or module and name in the library; "": by nothing."""
    module, name = type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__qualname__")
    if type(module) is str and type(name) is str and module != "snippet":
        at = sys.modules.get(module)
        for part in name.split("."):
            at = space_of(at).get(part)
        if at is kind or module == "builtins":
            return module + "." + name
    path = path_of(kind, name)
    return "" if path is None else "=" + path


def callable_name(value, kind):
    """The name of a function or class that the other side has as well, or None."""
    if id(value) in NAMES_OF_BUILTINS:
        return "builtin", NAMES_OF_BUILTINS[id(value)]
    if kind is METHOD and value.__name__[:2] != "__" and NAMES_OF_BUILTINS.get(id(value.__objclass__)) in BUILTIN_NAMES:
        return "builtin", value.__qualname__
    if kind is BUILTIN_FUNCTION and value.__module__ in ("math", "_operator"):
        return "builtin", value.__module__.lstrip("_") + "." + value.__name__
    path = path_of(value, value.__qualname__) if kind is PLAIN_FUNCTION else None
    return None if path is None else ("function", path)


def of_library(value, kind):
    module = type.__getattribute__(kind, "__module__")
    found = LIBRARY.get(module + "." + name_of(kind)) if type(module) is str else None
    if found is None or vars(sys.modules.get(module, sys)).get(name_of(kind)) is not kind:
        return None
    part = found[1](value)
    return None if part is None else (found[0], part)


BASES = (int, float, str, bytes, list, tuple, dict, set, frozenset, bytearray, complex)
COLLECTIONS = ("Counter", "OrderedDict", "defaultdict", "deque")  # of which classes may be made likewise
ENUM_MODULES = ("http", "signal", "socket", "re", "ssl", "uuid", "inspect", "calendar", "enum")


def is_enum(kind):
    enum = sys.modules.get("enum")
    return enum is not None and issubclass(type(kind), enum.EnumMeta)


def parts_of(value, kind):
    """The name of what a value is, and what it is made of."""
    found = BUILT_IN_KINDS.get(kind)
    if found is not None:
        part = found[1](value)
        if part is None and found[0] not in NONES:
            need("KINDS")
            return object_parts(value, kind)
        return found[0], part
    found = callable_name(value, kind) or of_library(value, kind)
    if found is None and issubclass(kind, type) and issubclass(value, BaseException):
        found = "error", class_told(value)
    if found is None:
        need("KINDS")
        found = rare_parts(value, kind)
    return found


def name_in_module(kind):
    """The name that a class has in the module that it says it is of, or None. Of the snippet's own that is none."""
    module, name = type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__qualname__")
    if type(module) is not str or module in ("snippet", "__main__", "builtins") or type(name) is not str:
        return None
    space = space_of(sys.modules.get(module))
    first, *rest = name.split(".")
    found = space.get(first)
    for part in rest:
        found = own_space(found).get(part) if issubclass(type(found), type) else None
    return name if found is kind else next((n for n, value in list(space.items()) if value is kind and type(n) is str), None)


def class_told(kind, depth=0):
    """
    A class of exceptions: the name of one that is built in, else [id, name, module, bases, True where that is its name in that module, else
    the snippet's name for it or None, values of it, names of what cannot be told].
    """
    if id(kind) in BUILT_IN_IDS or depth > 20:
        return name_of(kind) if id(kind) in BUILT_IN_IDS else "Exception"
    own, name = type.__getattribute__(kind, "__module__"), name_in_module(kind)
    module = own if type(own) is str else ""
    bases = [base for base in bases_of(kind) if issubclass(base, BaseException)]
    path = True if name else path_of(kind, type.__getattribute__(kind, "__qualname__"))
    found = {} if name and module in ERROR_MODULES else members(kind, [
        each for each in mro_of(kind) if each is object or id(each) in BUILT_IN_IDS or each is not kind and name_in_module(each)])
    shown, refused = shown_and_refused(found)
    return [id(kind), name or name_of(kind), module, [class_told(base, depth + 1) for base in bases], path, shown, refused]


cause_of, suppresses_context = [vars(BaseException)[name].__get__ for name in ("__cause__", "__suppress_context__")]


def error_told(error, depth=0):
    """[class, the arguments that one like it is made of, attributes, the cause, True for `from None`, or None]"""
    kind = type(error)
    base = next(base for base in mro_of(kind) if id(base) in BUILT_IN_IDS)
    reduced = base.__reduce__(error)
    state = reduced[2] if len(reduced) > 2 and type(reduced[2]) is dict else {}
    cause = cause_of(error)
    if cause is None:
        cause = suppresses_context(error) or None
    else:
        text = str(cause) if depth < 10 else ""
        cause = [name_of(type(cause)), built_in_base(type(cause)), text, error_told(cause, depth + 1) if depth < 10 else None]
    return [class_told(kind), tuple(reduced[1]), {k: v for k, v in state.items() if type(k) is str and k != "obj"}, cause]


# --- arguments that a call may change --------------------------------------------------------------------------------------------


CHANGING = ("Counter", "OrderedDict", "defaultdict", "deque", "array")


def is_changing(value, kind):
    """Of a type whose objects have other content later: of exactly these, of which all is known."""
    if kind in (list, dict, set, bytearray):
        return True
    found = of_library(value, kind)
    return found is not None and found[0] in CHANGING


def reach(values, parts, found):
    """What arguments hold, by id; not what those of the call have that an object is made by once more. parts(): as parts_of(); None: of such."""
    for value in values:
        kind = type(value)
        if kind in LEAVES or id(value) in found:
            continue
        if kind is not tuple:
            found[id(value)] = value
        if kind is dict:
            reach([each for pair in value.items() for each in pair], parts, found)
        elif kind in (list, set, tuple):
            reach(value, parts, found)
        elif kind is not range:
            inner = parts(value, kind)
            reach(inner[1:] if inner and inner[0] not in ("function", "builtin", "error", "class") else (), parts, found)
    return found


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
    own = find_path(name)
    if isinstance(own, type) and issubclass(own, tuple) and getattr(own, "_fields", None) == fields:
        return own
    if (name, fields) not in found:
        expect(name, str)
        expect(fields, *[str] * len(fields))
        found[name, fields] = of("collections", "namedtuple")(name.rpartition(".")[2], fields)
    return found[name, fields]


def make_named_tuple(part):
    name, fields, values = expect(part, str, tuple, tuple)
    if len(fields) != len(values):
        raise ValueError("a named tuple")
    return tuple.__new__(named_tuple_class(name, fields), values)


def make_member(part):
    module, name, value = part
    expect((module, name), str, str)
    kind = of(module, name) if module in ENUM_MODULES else None
    if not is_enum(kind):
        raise ValueError("an enumeration")
    return kind(value)


def make_array(part):
    code, items = expect(part, str, list)
    if code not in ARRAY_CODES:
        raise ValueError("an array")
    return of("array", "array")(code, items)


def find_path(path):
    """What stands there in the snippet, or None."""
    first, *rest = path.split(".")
    found = SPACE.get(first)
    for part in rest:
        found = getattr(found, part, None)
    return found


MADE_AGAIN = []  # by the next: as a rule there are none, and a process that calls a function calls one


def make_again(part):
    """An object of a class of the snippet, by the call that it came from. Where asserting code runs there is no such function."""
    path, args, kwargs = expect(part, str, tuple, dict)
    value = find(SPACE, path)(*args, **kwargs)
    MADE_AGAIN.append(value)
    return value


def make_path(kind, part):
    return of("pathlib", kind)(expect(part, str))


MAKERS = {
    "Counter": lambda part: of("collections", "Counter")(expect(part, dict)),
    "OrderedDict": lambda part: of("collections", "OrderedDict")(expect(part, dict)),
    "defaultdict": lambda part: of("collections", "defaultdict")(*expect(part, type(part[0]), dict)),
    "deque": lambda part: of("collections", "deque")(*expect(part, list, (int, type(None)))),
    "Decimal": lambda part: without_limit(lambda: of("decimal", "Decimal")(expect(part, str))),
    "Fraction": lambda part: of("fractions", "Fraction")(*ints(part, 2)),
    "date": lambda part: of("datetime", "date")(*ints(part, 3)),
    "time": lambda part: make_zoned("time", part, 4),
    "datetime": lambda part: make_zoned("datetime", part, 7),
    "timedelta": lambda part: of("datetime", "timedelta")(*ints(part, 3)),
    "timezone": make_zone,
    "UUID": lambda part: of("uuid", "UUID")(bytes=expect(part, bytes)),
    "Path": lambda part: make_path("Path", part),
    "PurePath": lambda part: make_path("PurePosixPath", part),
    "array": make_array,
    "frozenset": lambda part: frozenset(expect(part, set)),
    "bytearray": lambda part: bytearray(expect(part, bytes)),
    "range": lambda part: range(*ints(part, 3)),
    "slice": lambda part: slice(*part),
    "memoryview": lambda part: memoryview(expect(part, bytes)),
    "Ellipsis": lambda part: Ellipsis,
    "NotImplemented": lambda part: NotImplemented,
    "dict_keys": lambda part: dict.fromkeys(expect(part, list)).keys(),
    "dict_values": lambda part: dict(enumerate(expect(part, list))).values(),
    "dict_items": lambda part: expect(part, dict).items(),
    "builtin": make_builtin,
    "namedtuple": make_named_tuple,
    "made": make_again,
    "function": find_path,
    "member": make_member,
    "struct_time": lambda part: of("time", "struct_time")(*expect(part, tuple, dict)),
}
