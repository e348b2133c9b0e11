# SPDX-License-Identifier: Apache-2.0
# Tagged literals and frames, for the other files of this directory: PROTOCOL.md. Everything that
# is used later is bound here, before any code that is judged has run.
import sys

posix = sys.modules["posix"]
CHANNEL = 3
DEPTH_MAX = 99
ITEMS_MAX = 1 << 20
BYTES_MAX = 8000000
DIGITS_SAFE = 600  # no limit of digits is below 640
BUILT_IN = {c for c in vars(sys.modules["builtins"]).values() if isinstance(c, type) and issubclass(c, BaseException)}
BUILT_IN_IDS = frozenset(map(id, BUILT_IN))
# What a class is says type: a metaclass may say something else.
name_of, bases_of, mro_of = (type.__dict__[name].__get__ for name in ("__name__", "__bases__", "__mro__"))
real_of, imag_of = complex.real.__get__, complex.imag.__get__
get_digits_max = getattr(sys, "get_int_max_str_digits", int)
set_digits_max = getattr(sys, "set_int_max_str_digits", bool)


class Gone(BaseException):
    """csbx has closed the channel: there is nothing more to do."""


class Unfit(Exception):
    """A value that cannot be told."""


class Opaque(object):
    """A value of a type that has no tag. It equals nothing but itself."""

    def __init__(self, kind, text):
        self.kind, self.text = kind, text

    def __repr__(self):
        return self.text


def is_of_64_bits(number):
    return -(1 << 63) <= number < 1 << 63


def put_text(out, s):
    data = str.encode(s, "utf-8", "surrogatepass")
    out.append(b"s%d:" % len(data))
    out.append(data)


def text_of(value):
    """Its repr(), where it has one."""
    try:
        text = without_limit(lambda: repr(value))
        return str.__str__(text) if type(text) is str else ""
    except BaseException:
        return ""


def put_other(out, value):
    out.append(b"o")
    put_text(out, name_of(type(value))[:200])
    put_text(out, text_of(value)[:200])


def put_items(out, tag, items, depth):
    items = list(items)
    if len(items) > ITEMS_MAX:
        raise Unfit("it has more than a million values")
    out.append(b"%s%d:" % (tag, len(items)))
    for item in items:
        put(out, item, depth + 1)


def int_text(value):
    """One of 64 bits is never too long; others may be, for the judged code's limit of digits."""
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return int.__repr__(value)
    return without_limit(lambda: int.__repr__(value))


def put(out, value, depth=0):
    """
    Appends the literal of a value to a list of bytes. Subclasses count as what they are made of. Each type that is named touches
    the page that it is in, which a fork (cases.py) has to copy: so the usual ones are first.
    """
    kind = type(value)
    if depth > DEPTH_MAX:
        raise Unfit("it is nested more than %d deep" % DEPTH_MAX)
    if value is None:
        out.append(b"N")
    elif kind is int:
        out.append(b"i%s;" % int_text(value).encode())
    elif kind is str:
        put_text(out, value)
    elif kind is list:
        put_items(out, b"l", value, depth)
    elif kind is bool:
        out.append(b"T" if value else b"F")
    elif issubclass(kind, int):
        out.append(b"i%s;" % int_text(value).encode())
    elif issubclass(kind, float):
        out.append(b"f" + float.__repr__(value).encode() + b";")
    elif issubclass(kind, str):
        put_text(out, value)
    elif issubclass(kind, (bytes, bytearray)):
        data = bytes(value)
        out.append(b"b%d:" % len(data))
        out.append(data)
    elif issubclass(kind, list):
        put_items(out, b"l", list.__iter__(value), depth)
    elif issubclass(kind, tuple):
        put_items(out, b"t", tuple.__iter__(value), depth)
    elif issubclass(kind, set):
        put_items(out, b"e", set.__iter__(value), depth)
    elif issubclass(kind, frozenset):
        put_items(out, b"e", frozenset.__iter__(value), depth)
    elif issubclass(kind, complex):
        out.append(b"cf%s;f%s;" % (float.__repr__(real_of(value)).encode(), float.__repr__(imag_of(value)).encode()))
    elif kind is range and all(map(is_of_64_bits, (value.start, value.stop, value.step))):
        out.append(b"ri%d;i%d;i%d;" % (value.start, value.stop, value.step))
    elif issubclass(kind, dict):
        pairs = list(dict.items(value))
        out.append(b"d%d:" % len(pairs))
        for key, item in pairs:
            put(out, key, depth + 1)
            put(out, item, depth + 1)
    else:
        put_other(out, value)


def without_limit(convert):
    """convert(), while whole numbers may have any number of digits: the limit is for the judged code."""
    limit = get_digits_max()
    set_digits_max(0)
    try:
        return convert()
    finally:
        set_digits_max(limit)


def literal(value):
    out = []
    put(out, value)
    return b"".join(out)


class Reader(object):
    """Reads values that csbx sends: they are well-formed and nest at most as deep as DEPTH_MAX."""
    make = None  # of a made value: teller.py
    in_order = None  # of a set, where its order may be seen: check.py

    def __init__(self, data):
        self.data, self.at = data, 0
        self.begun = []  # lists, dicts, sets and made values, as they began

    def upto(self, stop):
        end = self.data.index(stop, self.at)
        text = self.data[self.at:end]
        self.at = end + 1
        return text

    def take(self):
        n = int(self.upto(b":"))
        self.at += n
        return self.data[self.at - n:self.at]

    def items(self):
        return [self.read() for _ in range(int(self.upto(b":")))]

    def fill_list(self):
        value = []
        self.begun.append(value)
        for _ in range(int(self.upto(b":"))):
            value.append(self.read())
        return value

    def fill_dict(self):
        value = {}
        self.begun.append(value)
        for _ in range(int(self.upto(b":"))):
            key = self.read()
            value[key] = self.read()
        return value

    def read_set(self):
        value = set()
        self.begun.append(value)
        items = self.items()
        value.update(items)
        if self.in_order and len(items) > 1 and type(items[0]) is int and list(value) != items:
            self.in_order(value, items)
        return value

    def argument(self, number):
        """An object that was an argument of the call: check.py."""
        raise ValueError("an argument")

    def read_made(self):
        number = len(self.begun)
        self.begun.append(Unfit)  # as long as it is not made
        name, part = self.read(), self.read()
        value = self.begun[part] if name == "same" else self.argument(part) if name == "argument" else self.make(name, part)
        if value is Unfit:
            raise ValueError("it holds itself")
        self.begun[number] = value
        return value

    def read(self):
        tag = self.data[self.at:self.at + 1]
        self.at += 1
        if tag == b"N":
            return None
        if tag in b"TF":
            return tag == b"T"
        if tag == b"i":
            text = self.upto(b";")
            return int(text) if len(text) < DIGITS_SAFE else without_limit(lambda: int(text))
        if tag == b"f":
            return float(self.upto(b";"))
        if tag == b"s":
            return self.take().decode("utf-8", "surrogatepass")
        if tag == b"b":
            return bytes(self.take())
        if tag == b"l":
            return self.fill_list()
        if tag == b"t":
            return tuple(self.items())
        if tag == b"e":
            return self.read_set()
        if tag == b"d":
            return self.fill_dict()
        if tag == b"c":
            return complex(self.read(), self.read())
        if tag == b"r":
            return range(self.read(), self.read(), self.read())
        if tag == b"o":
            return Opaque(self.read(), self.read())
        if tag == b"x":
            return self.read_made()
        raise ValueError("literal")


def send(kind, number, payload=b"", write=posix.write):
    data = kind + b"\0\0\0" + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload
    while data:
        data = data[write(CHANNEL, data[:1048576]):]


def receive_bytes(n, read=posix.read):
    data = read(CHANNEL, n) if n < 1048576 else b""
    while len(data) < n:
        more = read(CHANNEL, min(n - len(data), 1048576))
        if not more:
            raise Gone()
        data += more
    return data


def receive_frame():
    """The next frame: kind, number, payload."""
    head = receive_bytes(16)
    return head[:1], int.from_bytes(head[8:], "little"), receive_bytes(int.from_bytes(head[4:8], "little"))


def value_of(payload):
    return Reader(payload).read() if payload else None


def receive():
    """The next frame: kind, number, value."""
    kind, number, payload = receive_frame()
    return kind, number, value_of(payload)


def line_of(error, tb, path):
    """The last line of the file that an exception came through."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno or 0
    line = 0
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == path:
            line = tb.tb_lineno
        tb = tb.tb_next
    return line


HARNESS = put.__code__.co_filename


def outside(error):
    """The error with a traceback that begins where the harness ends."""
    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename == HARNESS:
        tb = tb.tb_next
    return error.with_traceback(tb)


def describe(error, path):
    """[type, message, line]"""
    try:
        message = str(error)[:4000]
    except BaseException:
        message = ""
    return [name_of(type(error)), message, line_of(error, error.__traceback__, path)]


def built_in_base(kind):
    """Name of the nearest class that an exception's class is made from and that is built in; "" of one that is itself."""
    if id(kind) in BUILT_IN_IDS:
        return ""
    return next((name_of(base) for base in mro_of(kind) if id(base) in BUILT_IN_IDS), "")


def is_coroutine(value):
    return type(value).__name__ == "coroutine" and hasattr(value, "cr_code")


def awaited(value):
    """The result of a coroutine; any other value as it is."""
    if not is_coroutine(value):
        return value
    import asyncio
    if hasattr(asyncio, "run"):
        return asyncio.run(value)
    return asyncio.get_event_loop().run_until_complete(value)


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def source_of(path):
    # Not by a file object: in a copy of an interpreter that is a dozen more pages that are copied.
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    source = more = posix.read(fd, 65536)
    while more:
        more = posix.read(fd, 65536)
        source += more
    posix.close(fd)
    return source


def load(path, space, source=None):
    exec(compile(source_of(path) if source is None else source, path, "exec", dont_inherit=True), space)


def prepare():
    """A channel that no program started from here inherits."""
    posix.set_inheritable(CHANNEL, False)
