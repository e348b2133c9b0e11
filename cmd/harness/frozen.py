# SPDX-License-Identifier: Apache-2.0
# The part of every run that is the same: csbx-thaw copies the interpreter where it stops, and each
# program goes on from there, with the harness as descriptor 4. An image may have its interpreter do more at the start
# (sitecustomize, .pth files): an interpreter with state that a copy would lose is not copied.
#
# An interpreter takes longer to take itself down than a small program runs: it goes through all its objects, in pages
# that were shared until then. So objects from before a program are left out of garbage collection, and the interpreter
# ends at once when nothing is left that a program could notice: after its threads and exit functions, its modules, and
# all that they held.
import atexit
import gc
import sys

posix, _signal = sys.modules["posix"], sys.modules["_signal"]
THEIRS = (0, 1, 2, 3, 4, 6, 7, 8, 9)  # descriptors that this was started with
SEEDED = ("_random", "_ssl", "numpy.random")  # modules that hold what is to be another in each process


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


def leaves_something(modules, module=type(sys)):
    """True when C code may have something to do at exit(3): a library that is no part of Python, or a user of stdio."""
    if not modules.keys().isdisjoint(("_ctypes", "_curses", "_tkinter", "readline")):
        return True
    for m in list(modules.values()):
        try:
            file = module.__getattribute__(m, "__dict__").get("__file__")
        except TypeError:
            continue
        if type(file) is str and file.endswith(".so") and "/lib-dynload/" not in file:
            return True
    return False


def look_at(module):
    return sum(map(id, module.__dict__.values()))


own_modules = {}  # that were there before; by name, with how they looked
collections = gc.get_stats()[2]["collections"] + 1


def keep(modules, own=own_modules, gc=gc, collections=collections, look_at=look_at):
    """Saves the modules that were there before, and are as they were, from being emptied. Returns what holds them."""
    # Finalizers of garbage may still import them. To find all garbage of a large program would take longer than it
    # saves.
    if gc.get_stats()[2]["collections"] <= collections and not gc.callbacks and not gc.get_debug():
        if gc.isenabled():
            gc.collect()
        for name, (module, look) in own.items():
            if modules.get(name) is module and look_at(module) == look:
                del modules[name]
    return own


def pairs():
    with open("/proc/self/environ", "rb") as f:
        return dict(pair.partition(b"=")[::2] for pair in f.read().split(b"\0")[:-1])


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
before, cwd, mask = pairs(), posix.getcwd(), posix.umask(0)
posix.umask(mask)
ending = []  # the status, once it is known to be one


def at_end(ending=ending, sys=sys, modules=sys.modules, own=[id(sys.stdout), id(sys.stderr)], Last=Last, leaves=leaves_something, keep=keep):
    """The first that was registered is the last that is called."""
    try:
        code, streams = ending[-1], (sys.stdout, sys.stderr)
        # Another's stream is not ours to flush, and what cannot be written is the interpreter's to complain of.
        if list(map(id, streams)) != own or leaves(modules):
            return
        for f in streams:
            f.flush()
        kept = keep(modules)
    except BaseException:
        return
    last = Last()
    last.code, last.streams, last.kept = code, streams, kept
    sys.__dict__["csbx"] = last


known = {}  # the harnesses that there are, compiled
for fd in range(6, 10):
    with open(fd, "rb") as f:
        text = f.read()
    known[text] = compile(text, "<string>", "exec")

atexit.register(at_end)
own_modules.update({name: (m, look_at(m)) for name, m in sys.modules.items() if name not in ("__main__", "builtins", "sys")})
if hasattr(gc, "freeze"):
    gc.collect()
    gc.freeze()
del atexit, gc, fd, f, text, Last, leaves_something, look_at, own_modules, collections, keep, at_end
posix.kill(posix.getpid(), 19)  # SIGSTOP

# Handlers are the kernel's, and not in the copy; so are the directory and the mask.
for n in range(1, 65):
    if n not in (9, 19, 32, 33) and (_signal.getsignal(n) == 1 or is_handled(n)):
        _signal.signal(n, _signal.getsignal(n))
posix.chdir(cwd)
posix.umask(mask)
# The kernel's facts are those of the program that became this one: its words, with two more in front, and an
# environment that may have another HOSTNAME.
with open("/proc/self/cmdline", "rb") as f:
    words = [w.decode(sys.getfilesystemencoding(), "surrogateescape") for w in f.read().split(b"\0")[2:-1]]
for key, value in pairs().items():
    if before.get(key) != value:
        posix.environ[key] = value
        if "os" in sys.modules:
            sys.modules["os"].environb[key] = value  # putenv(3) as well
        else:
            posix.putenv(key, value)
sys.argv[:] = ["-c"] + words[3:]
if hasattr(sys, "orig_argv"):
    sys.orig_argv[:] = words
with open(4, "rb") as f:
    text = f.read()
for n in ("posix", "_signal", "pairs", "is_open", "is_handled", "is_alone", "THEIRS", "SEEDED", "before", "cwd", "mask", "f", "words", "key", "value"):
    del globals()[n]
del n
try:
    exec(known.get(text, text))
except SystemExit as e:
    if type(e) is SystemExit and (e.code is None or type(e.code) is int and 0 <= e.code < 256):
        ending.append(e.code or 0)
    raise
else:
    ending.append(0)
