# SPDX-License-Identifier: Apache-2.0
"""What is opened, by the file that a name leads to: memory of a process can be read and written without any further event. And what the
kernel is told to write, by its address.

The names come in audit events, before the core runs. No code of theirs may run for that: not even their hash is asked for.
"""
import builtins
import os

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

TAILS = ("/mem", "/pagemap")
# Commands of fcntl(2) by which the kernel writes where the argument says: F_GETLK and its kin, F_GETOWN_EX, F_GET_RW_HINT and its kin.
WRITING, ADDRESS_MIN = frozenset((5, 12, 16, 17, 36, 1035, 1037)), 0x10000
OF_MEMORY = 0o100600  # a file that its owner alone reads and writes: in /proc that is mem, whatever process it is of


def make_plain():
    """plain(name): the text or bytes that C takes a name for; None: it would have to ask other code."""
    _type, _str, _bytes, subclass, text, part, whole = type, str, bytes, issubclass, str.__str__, bytes.__getitem__, slice(None)
    array, view, content = bytearray, memoryview, memoryview.tobytes

    def plain(name):
        kind = _type(name)
        if kind is _str or kind is _bytes:
            return name
        if subclass(kind, _str):
            return text(name)
        if subclass(kind, _bytes):
            return part(name, whole)
        if kind is array:
            return _bytes(name)
        if kind is view:
            try:
                return content(name)
            except ValueError:  # it was released
                return b""
        return None
    return plain


def make_opened():
    """(is_memory(the event's arguments), is_named_so(name)): the first by what is there, and by the name, as what is there may be another when
    it is opened. An object that would be asked for its name may give another each time: it counts as memory."""
    _type, _str, _int, subclass, size, plain = type, str, int, issubclass, len, make_plain()
    stat, listdir, number, error = os.stat, os.listdir, int, (OSError, ValueError)
    text_ends, bytes_end, text_begins, bytes_begin, tails, byte_tails = str.endswith, bytes.endswith, str.startswith, bytes.startswith, TAILS, \
        tuple(t.encode() for t in TAILS)
    mode = OF_MEMORY
    try:
        proc = stat("/proc/self/stat").st_dev
    except OSError:
        proc = None

    def is_named_so(name):
        name = plain(name)
        if name is None:
            return True
        return text_ends("/" + name, tails) if _type(name) is _str else bytes_end(b"/" + name, byte_tails)

    def is_there(name, directory=None):
        try:
            s = stat(name, dir_fd=directory)
        except error:
            return False
        return s.st_dev == proc and s.st_mode == mode

    def is_in_a_directory(name):
        """A name can be relative to any directory that is open."""
        try:
            numbers = [number(n) for n in listdir("/proc/self/fd")]
        except error:
            return True
        for n in numbers:
            if is_there(name, n):
                return True
        return False

    def is_memory(args):
        if size(args) < 2:
            return False  # no open
        name, way = args[0], args[1]
        if subclass(_type(name), _int):
            return False  # a descriptor
        name = plain(name)
        if name is None or is_named_so(name) or is_there(name):
            return True
        if way is not None or (text_begins(name, "/") if _type(name) is _str else bytes_begin(name, b"/")):
            return False
        return is_in_a_directory(name)
    return is_memory, is_named_so


def make_addressed():
    """
    is_address(event, its arguments): True where ioctl() or fcntl() is given a number that may be an address. An object that would be asked
    for its number counts as one.
    """
    _type, _int, subclass, size, spaces, mro = type, int, issubclass, len, type.__dict__["__dict__"].__get__, type.__dict__["__mro__"].__get__
    number, writing, least = int.__add__, WRITING, ADDRESS_MIN

    def is_number(kind):
        for each in mro(kind):
            if "__index__" in spaces(each) or "__int__" in spaces(each):
                return True
        return False

    def is_address(event, args):
        if size(args) < 3 or (event == "fcntl.fcntl" and args[1] not in writing):
            return False
        kind = _type(args[2])
        if subclass(kind, _int):
            at = number(args[2], 0)
            return at < 0 or at >= least
        return is_number(kind)
    return is_address
