# SPDX-License-Identifier: Apache-2.0
# The part of every run that is the same: csbx-thaw copies the interpreter where it stops, and each
# program goes on from there, with the harness as descriptor 4. An image may have its interpreter do more at the start
# (sitecustomize, .pth files): an interpreter with state that a copy would lose is not copied.
#
# An interpreter takes longer to take itself down than a small program runs: it goes through all its objects, in pages
# that were shared until then. So objects from before a program are left out of garbage collection, and the interpreter
# ends at once when nothing is left that a program could notice: after its threads and exit functions; and where any of
# its objects has a finalizer, or may have, after its modules and all that they held.
import atexit
import gc
import sys

posix, _signal = sys.modules["posix"], sys.modules["_signal"]
THEIRS = (0, 1, 2, 3, 4, 6, 7, 8, 9)  # descriptors that this was started with
SEEDED = ("_random", "_ssl", "numpy.random")  # modules that hold what is to be another in each process
# Modules without a source, of whose objects none does anything at its end that can be seen but what is a __del__.
QUIET = """
    sys builtins _frozen_importlib _frozen_importlib_external zipimport _imp _thread _warnings _weakref _io marshal posix time _codecs _signal _abc
    _stat _collections _functools _operator itertools _sre _string _locale _struct _json _datetime _bisect _heapq _statistics _decimal _random math
    cmath array binascii zlib unicodedata _opcode _typing _contextvars _csv _pickle _sha1 _sha2 _sha256 _sha512 _sha3 _md5 _blake2 errno atexit gc
    _ast _tokenize _symtable _queue select fcntl resource pwd grp
""".split()
HEAP_TYPE = 1 << 9  # of type.__flags__: one that may go, and its place in memory be another's
SEEN_BY_GC = 1 << 14


class Last:
    """Lies in sys, which is emptied when all other modules are gone; no object of a program is after it."""

    __slots__ = ("code", "streams", "kept")

    def __del__(self, leave=posix._exit):
        for f in self.streams:
            try:
                f.flush()
            except BaseException:
                pass
        leave(self.code)


def leaves_something(name, found, module=type(sys)):
    """True when C code may have something to do at exit(3): a library that is no part of Python, or a user of stdio."""
    if name in ("_ctypes", "_curses", "_tkinter", "readline"):
        return True
    try:
        file = module.__getattribute__(found, "__dict__").get("__file__")
    except TypeError:
        return False
    return type(file) is str and file.endswith(".so") and "/lib-dynload/" not in file


def look_at(module):
    return sum(map(id, module.__dict__.values()))


def has_finalizer(t, get=type.__getattribute__):
    """C code's as well, which is a __del__ for Python."""
    try:
        get(t, "__del__")
    except AttributeError:
        return False
    return True


def is_quiet_module(name, found, quiet=frozenset(QUIET), module=type(sys)):
    if name in quiet:
        return True
    try:
        file = module.__getattribute__(found, "__dict__").get("__file__")
    except TypeError:
        return False
    return type(file) is str and file.endswith(".py")


def classes():
    found = [object]
    for t in found:
        found += type.__subclasses__(t)
    return found


weak = sys.modules["_weakref"]
PROXIES = (weak.ProxyType, weak.CallableProxyType)


def has_end(x, finalizer=has_finalizer, proxies=PROXIES, ref=weak.ref):
    """True where something may happen at the end of an object, or of one of a class."""
    t = type(x)
    if issubclass(t, ref):
        return t is not ref or x.__callback__ is not None
    return t in proxies or finalizer(t) or issubclass(t, type) and finalizer(x)


# What most objects are. An object without references to others is not among those that gc has, but its class is.
plain = {id(t) for t in classes()
         if not t.__flags__ & HEAP_TYPE and not has_finalizer(t) and t not in PROXIES and not issubclass(t, (type, weak.ref))}


def begins_quiet(streams=("FileIO", "BufferedReader", "BufferedWriter", "TextIOWrapper")):
    """No object from before a program has an end of its own, and those of each class that has are seen by gc."""
    for x in gc.get_objects():
        t = type(x)
        if issubclass(t, type):
            if type(getattr(x, "__del__", None)) is type(has_end) and not x.__flags__ & SEEN_BY_GC:
                return False
        elif has_finalizer(t) and not (t.__module__ == "_io" and t.__name__ in streams):
            return False
    return all(is_quiet_module(name, found) for name, found in sys.modules.items() if name != "__main__")


collections = gc.get_stats()[2]["collections"] + 2 + 1  # by fill_holes(), and one more


def is_quiet(modules, names=frozenset(sys.modules), is_possible=begins_quiet(), collections=collections,
             gc=gc, plain=plain, has_end=has_end, is_quiet_module=is_quiet_module, threads=sys.modules["_thread"]._count,
             filters=sys.modules["_warnings"].filters, warned=len(sys.modules["_warnings"].filters)):
    """
    True where a program's objects can go without a trace: to take them down one by one copies pages, and to look whether
    other modules hold one, most of them.
    """
    if (not is_possible or not gc.isenabled() or gc.callbacks or gc.get_debug() or threads() or len(filters) != warned or
            gc.get_stats()[2]["collections"] > collections):
        return False
    if len(modules) != len(names) and not all(name in names or is_quiet_module(name, found) for name, found in list(modules.items())):
        return False
    objects = gc.get_objects()
    others = set(map(id, map(type, objects))) - plain
    return not others or not any(id(type(x)) in others and has_end(x) for x in objects)


own_modules = {}  # that were there before; by name, with how they looked


def keep(modules, own=own_modules, gc=gc, collections=collections, look_at=look_at, leaves=leaves_something):
    """
    Saves the modules that were there before, and are as they were, from being emptied. Returns what holds them; None:
    one leaves something. Each object that is looked at is a page that is copied, so nothing is looked at twice.
    """
    is_small = gc.get_stats()[2]["collections"] <= collections and not gc.callbacks and not gc.get_debug()
    # Finalizers of garbage may still import them. To find all garbage of a large program would take longer than it
    # saves.
    if is_small and gc.isenabled():
        gc.collect()
    same = [name for name, (module, look) in own.items() if modules.get(name) is module and look_at(module) == look]
    known = set(same)
    if any(name not in known and leaves(name, found) for name, found in list(modules.items())):
        return None
    for name in same if is_small else ():
        del modules[name]
    return own


def read_all(fd, read=posix.read, close=posix.close):
    """Not by a file object: it would be made of a dozen pages that are not this process's own yet."""
    size = 4000  # more is memory that has to be asked for and is given back
    data = more = read(fd, size)
    while more:
        if len(more) == size:
            size *= 4
        more = read(fd, size)
        data += more
    close(fd)
    return data


def is_open(fd):
    try:
        posix.fstat(fd)
    except OSError:
        return False
    return True


def is_handled(n):
    return _signal.getsignal(n) not in (None, 0, 1)


def is_alone():
    """One thread, no child but the one that copies, no descriptor, handler, blocked signal or timer but those of any
    interpreter."""
    with open("/proc/self/status") as f:
        signals = {line[:6]: int(line[7:], 16) for line in f if line.startswith(("SigBlk", "SigCgt"))}
    try:
        with open("/proc/self/task/%d/children" % posix.getpid()) as f:
            children = f.read().split()
    except OSError:
        children = []
    others = [n for n in map(int, posix.listdir("/proc/self/fd")) if n not in THEIRS]
    caught = [n for n in range(1, 65) if signals["SigCgt"] >> (n - 1) & 1]
    return (len(posix.listdir("/proc/self/task")) == 1 and len(children) < 2 and not signals["SigBlk"] and
            not any(map(is_open, others)) and all(map(is_handled, caught)) and
            not any(sum(_signal.getitimer(n)) for n in range(3)))


if not is_alone() or not sys.modules.keys().isdisjoint(SEEDED):
    posix._exit(1)
ending = []  # the status, once it is known to be one


def at_end(ending=ending, sys=sys, modules=sys.modules, own=[id(sys.stdout), id(sys.stderr)], Last=Last, keep=keep,
           is_quiet=is_quiet, leave=posix._exit):
    """The first that was registered is the last that is called."""
    try:
        code, streams = ending[-1], (sys.stdout, sys.stderr)
        # Another's stream is not ours to flush, and what cannot be written is the interpreter's to complain of.
        if list(map(id, streams)) != own:
            return
        for f in streams:
            f.flush()
        if is_quiet(modules):
            leave(code)
        kept = keep(modules)
        if kept is None:
            return
    except BaseException:
        return
    last = Last()
    last.code, last.streams, last.kept = code, streams, kept
    sys.__dict__["csbx"] = last


def fill_holes(held, new, sys=sys, allocate_lock=sys.modules["_thread"].allocate_lock, collect=gc.collect):
    """
    Takes the free memory between the objects there are. What a program makes is then side by side, in few pages, each of which
    is copied when it is written for the first time. A pool of the allocator of small objects has those of one size; new: where
    that of each size is that has room. To be called twice: what this function itself lets go of is room, too.
    """
    pool, first = 16384 if sys.version_info >= (3, 10) else 4096, 48
    collect()  # lists of objects that are kept to be used again are given up
    for size in range(16, 513, 16):
        for n in range(4096):
            x = object() if size == 16 else n + 0.5 if size == 32 else bytes(size - 33)
            held.append(x)
            if size not in new and id(x) % pool == first:
                new[size] = id(x) // pool
            if new.get(size) == id(x) // pool:
                break
        else:
            break  # another allocator
    # malloc(3) has those that are larger: at first what is free, then what is behind all others. It has locks as well.
    highest = 0
    for size in (16384, 8192, 4096, 2048) + tuple(range(1552, 512, -16)):
        for n in range(2048):
            x = bytes(size - 40)
            if id(x) > highest:
                highest = id(x)
                break
            held.append(x)
    for n in range(64):
        held.append(allocate_lock())


def compiled(texts, posix=posix, read_all=read_all, marshal=sys.modules["marshal"]):
    """By a fork: a compiler leaves more free memory between the objects there are than the objects themselves have."""
    fd, child_fd = posix.pipe()
    pid = posix.fork()
    if not pid:
        try:
            data = marshal.dumps([compile(text, "<string>", "exec", dont_inherit=True) for text in texts])
            while data:
                data = data[posix.write(child_fd, data):]
        finally:
            posix._exit(0)
    posix.close(child_fd)
    data = read_all(fd)
    posix.waitpid(pid, 0)
    return marshal.loads(data)


MAIN = b"\nmain()\n"  # the last line
FIRST = 8  # bytes of the line that each begins with, which are another's nowhere
SHARED = b"\n# until here for both\n"  # in that for cases and in that for asserting code
texts = list(map(read_all, range(6, 10)))
# These run a script, serve cases and run asserting code: what they define is there before a program. The last goes on where the
# second is, and has names of the same: it puts them there when it begins.
assert texts[1].partition(SHARED)[0][FIRST:] == texts[2].partition(SHARED)[0][FIRST:]
codes = compiled([text[:-len(MAIN)] for text in (texts[0], texts[1], texts[2].partition(SHARED)[2])] + [texts[3]])
script, serving, checking = ({"__name__": "__main__", "__builtins__": __builtins__} for _ in range(3))
names = set(sys.modules)
exec(codes[0], script)
exec(codes[1], serving)
both = dict(serving)
exec(codes[2], serving)
checking = {name: found for name, found in serving.items() if name not in both or both[name] is not found}
serving.clear()
serving.update(both)
for name in set(sys.modules) - names:
    del sys.modules[name]  # a snippet begins with what any has


def check(space=serving, own=checking):
    space.update(own)
    own["main"]()


known = dict(zip([text[:FIRST] for text in texts],
                 [(script["main"], None), (serving["main"], None), (check, None), (codes[3], {"__name__": "__main__"})]))
held, new = [], {}

cwd, mask = posix.getcwd(), posix.umask(0)
posix.umask(mask)
before = read_all(posix.open("/proc/self/environ", posix.O_RDONLY | posix.O_CLOEXEC))
handlers = [(n, _signal.getsignal(n)) for n in range(1, 65)
            if n not in (9, 19, 32, 33) and (_signal.getsignal(n) == 1 or is_handled(n))]


def go_on(fd, cwd=cwd, mask=mask, before=before, handlers=handlers, sys=sys, posix=posix, known=known, first=FIRST,
          signal=_signal.signal, read_all=read_all, encoding=sys.getfilesystemencoding()):
    """Handlers are the kernel's, and not in the copy; so are the directory and the mask. Returns what is known of the harness's text."""
    for n, handler in handlers:
        signal(n, handler)
    posix.chdir(cwd)
    posix.umask(mask)
    # The kernel's facts are those of the program that became this one: its words, with two more in front, and an
    # environment that may have another HOSTNAME.
    words = read_all(posix.open("/proc/self/cmdline", posix.O_RDONLY | posix.O_CLOEXEC))
    words = [str(w, encoding, "surrogateescape") for w in words.split(b"\0")[2:-1]]
    now = read_all(posix.open("/proc/self/environ", posix.O_RDONLY | posix.O_CLOEXEC))
    if now != before:
        old = set(before.split(b"\0"))
        for pair in now.split(b"\0")[:-1]:
            if pair not in old:
                key, _, value = pair.partition(b"=")
                posix.environ[key] = value
                if "os" in sys.modules:
                    sys.modules["os"].environb[key] = value  # putenv(3) as well
                else:
                    posix.putenv(key, value)
    sys.argv[:] = ["-c"] + words[3:]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = words
    text = posix.read(fd, first)
    if text in known:
        posix.close(fd)
        return known[text]
    return text + read_all(fd), {"__name__": "__main__"}


def rehearse(before=before, script=script["main"], posix=posix, sys=sys, go_on=go_on, keep=keep, is_quiet=is_quiet):
    """
    What all runs do is done once: functions of libraries are found when they are first called. Descriptor 3, which is the
    harness's, is /dev/null here.
    """
    main = sys.modules["__main__"]
    go_on(posix.open("/proc/self/environ", posix.O_RDONLY | posix.O_CLOEXEC), before=before.replace(b"HOSTNAME=", b""))
    space = type(sys)("__main__").__dict__
    exec(compile("import sys\ndef f(x):\n    return x * 7\nf(6)\n", "<string>", "exec", dont_inherit=True), space)
    sys.argv[:] = ["-c", "/dev/null"]
    script()
    sys.modules["__main__"] = main
    is_quiet(sys.modules)
    keep(dict(sys.modules), collections=-1)


def rehearse_cases(serve, run_case, posix=posix, head=b"C\0\0\0\x18\0\0\0" + bytes(8), call=b"[\4\0\0\0u\1\0\0\0f[\1\0\0\0i\1\0\0\0{0F", cases=9):
    """
    A function's cases, each of which a fork answers. What the fork does is done here as well, by calls of the same kind that do
    nothing. The channel is a pipe that is read and written: it is empty at the end.
    """
    own, ends = posix.dup(3), posix.pipe()
    both = posix.open("/proc/self/fd/%d" % ends[0], posix.O_RDWR | posix.O_NONBLOCK | posix.O_CLOEXEC)
    posix.dup2(both, 3)
    for _ in range(cases):
        run_case({"f": lambda x: x}, head[8:], call, os=(posix.getpid, posix.getpriority, posix.write, posix.fstat))
        posix.read(3, 65536)
        posix.write(3, head + call)
        try:
            serve({"f": lambda x: x})
        except BlockingIOError:
            pass
    posix.dup2(own, 3)
    for fd in (own, both) + ends:
        posix.close(fd)


atexit.register(at_end)
own_modules.update({name: (m, look_at(m)) for name, m in sys.modules.items()
                    if name not in ("__main__", "builtins", "sys") and not leaves_something(name, m)})
rehearse()
rehearse_cases(serving["serve"], serving["run_case"])
# Else they are taken apart before or behind each program, and each object that is touched is a page that is copied. For the
# same reason go_on() and what it needs is not deleted.
Last.text, Last.main = sys._getframe().f_code, sys.modules["__main__"]
freeze = getattr(gc, "freeze", gc.collect)
del texts, codes, compiled, names, both, check, checking, script, serving, rehearse_cases, MAIN, Last, leaves_something, look_at
del own_modules, collections, keep, at_end, atexit, gc
del has_finalizer, is_quiet_module, classes, weak, has_end, plain, begins_quiet, is_quiet, QUIET, PROXIES, HEAP_TYPE, SEEN_BY_GC
del before, cwd, mask, handlers, is_open, is_handled, is_alone, THEIRS, SEEDED
rehearse()  # once more: memory that was freed since is put in order when a large block is asked for
held += sys.argv + getattr(sys, "orig_argv", [])  # which are let go of by each program
fill_holes(held, new)
fill_holes(held, new)
freeze()
posix.kill(posix.getpid(), 19)  # SIGSTOP

program, space = go_on(4)
try:
    if space is None:
        program()
    else:
        exec(program, space)
except SystemExit as e:
    if type(e) is SystemExit and (e.code is None or type(e.code) is int and 0 <= e.code < 256):
        ending.append(e.code or 0)
    raise
else:
    ending.append(0)
