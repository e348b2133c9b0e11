# SPDX-License-Identifier: Apache-2.0
# What a call did to its arguments, for asserting code. For cases.py, which compiles it when the first comes by.


class Content(object):
    """What an argument has after a call, and not which of them it is."""

    def __init__(self, value):
        self.value = value


class Back(Teller):
    """Tells an argument by the number that it had in the question."""

    def __init__(self, numbers):
        Teller.__init__(self)
        self.sent = numbers

    def put(self, value, depth=0):
        kind = type(value)
        if kind is Content:
            Teller.put(self, value.value, depth)
        elif kind in LEAVES or id(value) not in self.sent:
            Teller.put(self, value, depth)
        else:
            self.n += 1
            self.out.append(b"xs8:argumenti%d;" % self.sent[id(value)])


def told_back(numbers):
    def tell(value):
        teller = Back(numbers)
        teller.put(value)
        return b"".join(teller.out)
    return tell


class Again(Reader):
    """Reads a question once more, and calls nothing for it."""

    @staticmethod
    def make(name, part):
        return Content(None) if name == "made" else make(name, part)


def numbers_of(begun, args, kwargs):
    """By id, the number that each had first; not those that hold the arguments."""
    found = {}
    for number, value in enumerate(begun):
        if number > 1 and value is not kwargs and type(value) not in LEAVES:
            found.setdefault(id(value), number)
    if "MADE" in needed and MADE_AGAIN:
        reached = reach(args + list(kwargs.values()), lambda value, kind: None if is_one_of(value, MADE_AGAIN) else parts_of(value, kind), {})
        found = {key: number for key, number in found.items() if key in reached}
    return found


def content(value, kind):
    """A copy of what it has, by which it is compared."""
    if kind is list or kind is set:
        return list(value)
    return list(value.items()) if kind is dict else bytes(value) if kind is bytearray else parts_of(value, kind)[1]


def is_same_leaf(old, new, kind):
    return kind.__repr__(old) == kind.__repr__(new) if kind is float or kind is complex else old == new


def is_same(old, new, olds, news):
    """Whether two values are told as the same. By id: the numbers of arguments as they were sent, and as they are now."""
    kind = type(old)
    if kind is not type(new):
        return False
    if kind in LEAVES:
        return is_same_leaf(old, new, kind)
    if id(old) in olds or id(new) in news:
        return olds.get(id(old)) == news.get(id(new))
    if kind is dict:
        return is_same(list(old.items()), list(new.items()), olds, news)
    if kind is set:
        return is_same(list(old), list(new), olds, news)
    if kind is list or kind is tuple:
        return len(old) == len(new) and all(is_same(a, b, olds, news) for a, b in zip(old, new))
    return kind is range and old == new


def changes_of(begun, payload, args, kwargs, held):
    """[(number, what it has now), and (number, None) of an object that the snippet made once more]"""
    reader = Again(payload)
    _, own_args, own_kwargs, _ = reader.read() if payload[0] != MARSHALLED else again_of_marshal(payload, reader.begun)
    news = numbers_of(begun, args, kwargs)
    olds = {id(reader.begun[number]): number for number in news.values()}
    found = []
    for number in sorted(news.values()):
        old, new = reader.begun[number], begun[number]
        kind = type(new)
        if id(new) in held:
            found += [] if held[id(new)].is_as_it_was() else [(number, None)]
        elif kind in (list, dict, set) or "MADE" in needed and is_changing(new, kind):
            if kind is not type(old) or not is_same(content(old, kind), content(new, kind), olds, news):
                found.append((number, Content(new)))
    return found


def again_of_marshal(payload, begun):
    call = MARSHAL.loads(payload)
    begun += begun_by(call[1], call[2])
    return call


# --- objects of the snippet ------------------------------------------------------------------------------------------------------
LOOKED_AT_MAX = 100000


CELL = (lambda value: lambda: value)(0).__closure__[0]


class Unknown(Exception):
    """What an object has cannot be seen."""


def is_fixed(value, kind):
    """What has no content, or always the same; a class or a module is no part of what it is named by."""
    is_plain = kind is PLAIN_FUNCTION and not parts_of_function(value) or kind is BUILTIN_FUNCTION and is_of_module(value)
    return (is_plain or kind in LEAVES or issubclass(kind, (type, type(sys), METHOD, range, slice)) or
            id(value) in NAMES_OF_BUILTINS or kind is sys.modules["_weakref"].ref or
            of_library(value, kind) is not None and not is_changing(value, kind))


def is_of_module(function):
    """Not a method of an object (deque().append), which has content."""
    return type(function.__self__) in (type(sys), type(None))


HEAP_TYPE, IMMUTABLE_TYPE = 1 << 9, 1 << 8  # of a class that C makes, where it has the first as well


def is_of_python(kind):
    """A class that Python code defines, or one whose objects tell what they refer to."""
    module = type.__getattribute__(kind, "__module__")
    flags = type.__dict__["__flags__"].__get__(kind)
    if kind in BUILT_IN or kind in (object, tuple, frozenset, type(is_of_python.__get__(0)), type(CELL)) or kind in BASES or module == "snippet":
        return True
    if module == "collections" and name_of(kind) in COLLECTIONS or module == "array":
        return True
    file = space_of(sys.modules.get(module)).get("__file__")
    return type(file) is str and file.endswith(".py") and bool(flags & HEAP_TYPE) and not flags & IMMUTABLE_TYPE


def parts_of_function(function):
    """But its globals, its code and its class."""
    tables = [table for table in (function.__kwdefaults__, function.__dict__) if table]
    return list(function.__closure__ or ()) + list(function.__defaults__ or ()) + tables


def parts_held(value, kind):
    """All that it refers to."""
    if kind is PLAIN_FUNCTION:
        return parts_of_function(value)
    if not all(map(is_of_python, mro_of(kind))):
        raise Unknown()
    if DICT_OFFSET(kind):
        object.__getattribute__(value, "__dict__")  # from here on it has one
    parts = __import__("gc").get_referents(value)
    names = list(map(name_of, mro_of(kind)))
    if issubclass(kind, dict):
        parts += dict.__iter__(value)
    if "OrderedDict" in names:
        parts += sys.modules["collections"].OrderedDict.__iter__(value)
    if issubclass(kind, bytearray) or "array" in names:
        parts.append(bytes(memoryview(value)))
    return parts


class Held(object):
    """What an object refers to, and that in turn."""

    def __init__(self, value):
        need("KINDS")
        self.found, todo = {}, [value]
        try:
            while todo and self.found is not None:
                value = todo.pop()
                kind = type(value)
                if id(value) not in self.found and not is_fixed(value, kind):
                    parts = parts_held(value, kind)
                    self.found[id(value)] = value, parts
                    todo += parts
                    if len(self.found) > LOOKED_AT_MAX:
                        raise Unknown()
        except Exception:
            self.found = None

    def is_as_it_was(self):
        try:
            return self.found is not None and all(self.is_alike(parts, parts_held(value, type(value))) for value, parts in self.found.values())
        except Exception:
            return False

    def is_alike(self, olds, news):
        return len(olds) == len(news) and all(
            old is new or type(old) is type(new) and type(old) in LEAVES and is_same_leaf(old, new, type(old)) for old, new in zip(olds, news))
