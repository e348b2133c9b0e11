# SPDX-License-Identifier: Apache-2.0
# Calls a function of a snippet, one case at a time, each in a fresh fork of the loaded snippet:
# PROTOCOL.md. It is sent one case's arguments, and never what is expected of them.
import select

PRINTED_MAX = 7000000
NAMES_BYTES_MAX = 256 << 10  # of those that are told with `L`
HAS, NEEDABLE = 76, ("MADE", "KINDS", "CHANGED")  # exit code of a case that needed none of these; with a bit for each that is compiled for it
MARSHAL = sys.modules["marshal"]
CASE, MARSHALLED, NAMES = b"C[N"  # kinds of a frame, and what the payload of the first begins with: PROTOCOL.md
POLLER = select.poll()  # of the process that serves
POLLER.register(CHANNEL, select.POLLIN)


class Absent(Exception):
    """The snippet has no such function: nothing that a case could expect."""


def is_of_instances(kind, name):
    """True when a class's attribute is one that its instances call: no static one, no class inside it."""
    for base in kind.__mro__:
        if name in base.__dict__:
            found = base.__dict__[name]
            return not isinstance(found, (staticmethod, classmethod, type)) and (callable(found) or hasattr(found, "__get__"))
    return False


def find(space, name):
    """NAME, or CLASS.METHOD of an instance that is made without arguments."""
    first, _, rest = name.partition(".")
    if first not in space:
        raise Absent("the snippet defines no %s" % first)
    found = space[first]
    for part in rest.split(".") if rest else ():
        if isinstance(found, type) and is_of_instances(found, part):
            try:
                found = found()
            except BaseException as error:
                raise Absent("an instance of %s cannot be made: %s: %s" % ((found.__name__,) + tuple(describe(error, SNIPPET)[:2])))
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Absent("the snippet defines no %s" % name)
    if not callable(found):
        raise Absent("%s is no function, but of type %s" % (name, type(found).__name__))
    return found


def redirect_output():
    """Standard output goes into a file of no name from here on, which is returned."""
    if hasattr(posix, "memfd_create"):
        fd = posix.memfd_create("output")
    else:
        name = "/tmp/.csbx-%d" % posix.getpid()
        fd = posix.open(name, posix.O_RDWR | posix.O_CREAT | posix.O_EXCL, 0o600)
        posix.unlink(name)
    posix.dup2(fd, 1)
    return fd


def printed_to(output):
    """None: it is more than is told."""
    data = posix.pread(output, PRINTED_MAX + 1, 0)
    return data if len(data) <= PRINTED_MAX else None


def raised(error):
    kind, message, line = describe(error, SNIPPET)
    return ["E", kind, built_in_base(type(error)), message, line]


def plain_error(error):
    """What is told of one that is built in and made of plain values, as most are."""
    kind, args = type(error), error.args
    is_plain = (id(kind) in BUILT_IN_IDS and not issubclass(kind, (OSError, ImportError, SyntaxError)) and not error.__dict__ and
                error.__cause__ is None and are_leaves(args))
    return [name_of(kind), args, {}, error.__suppress_context__ or None] if is_plain else None


def told_to_check(answer, error, end, tell):
    """The answer's literal for asserting code, with all that can be told of an exception."""
    if error is None:
        return tell(answer + [None] + end)
    try:
        answer[3] = str(error)
        what = plain_error(error)
        if what is None:
            need("MADE")
            what = error_told(error)
        data = tell(answer + [None, what] + end)
        if len(data) <= BYTES_MAX:
            return data
    except BaseException:
        pass
    if type(answer[3]) is not str or len(answer[3]) > 4000:
        return literal(["T", answer[1], "it raised an exception that cannot be told", None])
    return tell(answer + [None, None] + end)


def kind_of(found):
    """What stands under a name: an exception's class, a class, an async function, a function, what can be called, an object of the
    snippet's that can, or a value."""
    if issubclass(type(found), type):
        return "e" if issubclass(found, BaseException) else "c"
    if type(found) is PLAIN_FUNCTION:
        return "a" if found.__code__.co_flags & 0x80 else "f"  # CO_COROUTINE
    if not callable(found):
        return "v"
    return "i" if type.__getattribute__(type(found), "__module__") == "snippet" else "o"


def about(space, path):
    """[kind, what is told of it]"""
    need("MADE")
    first, *rest = path.split(".")
    if first not in space:
        return ["n", None]
    found = space[first]
    for part in rest:
        if isinstance(found, type) and part[:2] != "__" and is_of_instances(found, part):
            return ["m", None]
        if part == "_member_map_" and type.__getattribute__(type(found), "__module__") != "enum":
            return ["n", None]  # its class may say what is in it
        try:
            found = getattr(found, part)
        except AttributeError:
            return ["n", None]
    kind = kind_of(found)
    if rest and rest[-1] == "__module__" and found == "snippet":
        found = "solution"  # where asserting code finds it
    return [kind, class_told(found) if kind == "e" else found if kind in ("v", "c") else None]


def names_told(space):
    """Of what asserting code may import. By the process that serves."""
    names, firsts = {}, {}
    for name, found in list(space.items()):
        if type(name) is str and name[:2] != "__":
            kind = names[name] = kind_of(found)
            if kind in ("f", "a", "o") and firsts.setdefault(id(found), name) is not name:
                names[name] = "%s=%s" % (kind, firsts[id(found)])
    everything = space.get("__all__")
    if type(everything) in (list, tuple) and all(type(name) is str for name in everything):
        names["__all__"] = "\n".join(everything)
    return literal(["R", "dict", names, None])


def tell_names(space, number):
    send(b"A", number, names_told(space))
    send(b"E", number, b"i0;")


def names_wanted(space):
    """
    What goes with `L`. csbx has asked before the snippet was there where it knows that the check will ask; b"": it may ask again, or has
    closed the channel already, as where the check was done before the snippet was loaded, and is to know that it is.
    """
    try:
        if not POLLER.poll(0) or receive_frame()[0][0] != NAMES:
            return b""
        names = names_told(space)
    except BaseException:
        return b""
    return names if len(names) <= NAMES_BYTES_MAX else b""


def told(answer, output, error, is_awaited, sent):
    """
    The answer's literal. output: where what was printed is; below 0: it is not wanted; None: it is asserting code that asks. sent: its
    arguments, where it may see what became of them, or None.
    """
    printed = printed_to(output) if output is not None and output >= 0 else None
    try:
        end, tell = sent.told(is_awaited) if sent else ([is_awaited], told_literal)
        data = told_to_check(answer, error, end, tell) if output is None else literal(answer + [printed])
        why = "it is larger than 8 MB" if len(data) > BYTES_MAX else None
    except Unfit as error:
        why = str(error)
    except BaseException as error:
        why = type(error).__name__
    return data if why is None else literal(["T", answer[1], why, printed])


def number_in(items, begun):
    """Lists, dicts and sets as they begin. A key holds none."""
    for item in items:
        kind = type(item)
        if kind in LEAVES:
            continue
        if kind is not tuple:
            begun.append(item)
        inner = item.values() if kind is dict else item
        if not LEAVES.issuperset(map(type, inner)):
            number_in(inner, begun)


def begun_by(args, kwargs):
    """As Reader.begun, of what marshal has read."""
    begun = [None, args]
    number_in(args, begun)
    begun.append(kwargs)
    number_in(kwargs.values(), begun)
    return begun


FLAT = ("lists, dicts and sets of plain values",)  # which a call changes, and the places of which it cannot


def flat_by(args, kwargs):
    """The same of FLAT, also when the call is over."""
    return [None, args] + [each for each in args if type(each) not in LEAVES and type(each) is not tuple] + [kwargs]


def is_as_sent(parts, begun, payload, dumps=MARSHAL.dumps):
    """Arguments that marshal has read: whether they are as they were, as they are in nearly all calls. Another order of a set is not."""
    try:
        if dumps(parts, 2) != payload:
            return False
        now = begun_by(*parts[1:3])
    except Exception:
        return False
    return len(now) == len(begun) and all([old is new for old, new in zip(begun, now)])


def held_by():
    """What objects refer to that were made once more, before the call."""
    need("CHANGED")
    return {id(value): Held(value) for value in MADE_AGAIN}


class Sent(object):
    """Arguments of a call of asserting code, as they were: what the call did to them is told with its answer."""

    def __init__(self, parts, payload, begun, held):
        self.parts, self.payload, self.held = parts, payload, held or {}
        self.begun = flat_by(*parts[1:3]) if begun is FLAT else begun

    def told(self, is_awaited):
        """The end of the answer, and what tells it."""
        _, args, kwargs, wants_all = self.parts
        is_same = self.payload[0] == MARSHALLED and is_as_sent(self.parts, self.begun, self.payload)
        if is_same and not wants_all:
            return [is_awaited], told_literal
        need("CHANGED")
        changes = [] if is_same else changes_of(self.begun, self.payload, args, kwargs, self.held)
        if not changes and not wants_all:
            return [is_awaited], told_literal
        return [is_awaited, changes], told_back(numbers_of(self.begun, args, kwargs))


def need_again(status):
    """Once, and not by each case that follows."""
    for bit, text in enumerate(NEEDABLE):
        if (status >> 8) - HAS >> bit & 1:
            need(text)


def run_case(space, number, payload, os=(posix.getpid, posix.setpgid, posix.write, posix._exit), loads=MARSHAL.loads, plain=type(find),
             leaves=LEAVES, int=int, str=str, low=-(1 << 63), high=1 << 63, sys=sys):
    """
    In the child. For each object that is touched a page is copied, for a function or an attribute as well: so the usual case
    calls none of this file. number: as it was sent.
    """
    getpid, setpgid, write, leave = os
    me = getpid()
    try:
        setpgid(0, 0)
        if payload[0] == MARSHALLED:
            reader = None
            name, args, kwargs, wants_output = parts = loads(payload)
        else:
            reader = Reader(payload)
            name, args, kwargs, wants_output = parts = reader.read()
        output = redirect_output() if wants_output is True else -1 if wants_output is False else None
        data = raised_error = sent = None
        is_awaited = False
        try:
            function = space.get(name)
            if args is None:
                function, args, kwargs = about, (space, name), {}
            elif type(function) is not plain:
                function = find(space, name)
        except BaseException as error:
            answer = ["U", "LookupError", "", describe(error, SNIPPET)[1], 0]
        else:
            if output is None and parts[1] is not None and (kwargs or not leaves.issuperset(map(type, args))):
                is_flat = reader is None and not kwargs
                for each in args if is_flat else ():
                    if type(each) not in leaves and not leaves.issuperset(map(type, each.values() if type(each) is dict else each)):
                        is_flat = False
                sent = FLAT if is_flat else begun_by(args, kwargs) if reader is None else reader.begun
                held = held_by() if reader is not None and "MADE" in needed and MADE_AGAIN else None
            try:
                value = function(*args, **kwargs)
                kind = type(value)
                if kind is int and low <= value < high and not wants_output:
                    data = b"l4:s1:Rs3:inti%d;N" % value
                else:
                    if kind is not int and kind is not str and is_coroutine(value):
                        is_awaited = True
                        value = awaited(value)
                    answer = ["R", type(value).__name__, value]
            except BaseException as error:
                answer, raised_error = raised(error), error
        for stream in sys.stdout, sys.stderr:
            try:
                stream.flush()
            except BaseException:
                pass
        if data is None:
            sent = Sent(parts, payload, sent, held) if sent and (wants_output or answer[-1] is None) else None
            data = told(answer, output, raised_error, is_awaited, sent)
        # A function that forks comes back twice.
        if getpid() == me:
            n = len(data)
            data = b"A\0\0\0%c%c%c%c%b%b" % (n & 255, n >> 8 & 255, n >> 16 & 255, n >> 24, number, data)
            while data:
                data = data[write(CHANNEL, data[:1048576]):]
    finally:
        leave(HAS + ("MADE" in needed) + 2 * ("KINDS" in needed) + 4 * ("CHANGED" in needed) if needed else 0)


SEEDED = None  # [the functions that get and set the state of the module random, whether the snippet has seeded it]


def watch_seeds(source):
    """
    A fork seeds the module random anew, and a case is one: what the snippet has seeded by itself, while it was loaded, it is to
    find. One that does so has a word for it, and no other has the module loaded for it.
    """
    global SEEDED
    if SEEDED or (b"seed" not in source and b"setstate" not in source):
        return
    try:
        import random
        SEEDED = [random.getstate, random.setstate, False]
        for name in "seed", "setstate":
            setattr(random, name, noting(getattr(random, name)))
    except BaseException:  # the image has none
        SEEDED = None


def noting(function):
    def seed(*args, **kwargs):
        answer = function(*args, **kwargs)
        SEEDED[2] = any(value is not None for value in args[:1] + tuple(kwargs.values()))
        return answer
    seed.__name__ = seed.__qualname__ = function.__name__
    seed.__doc__, seed.__self__ = function.__doc__, function.__self__
    return seed


def seed_again():
    """What a fork calls to have the numbers of the snippet; None: it has seeded nothing."""
    if not SEEDED or not SEEDED[2]:
        return None
    set_state, state = SEEDED[1], SEEDED[0]()
    return lambda: set_state(state)


def kill(pid, os=posix):
    for how, to in ((os.killpg, pid), (os.kill, pid)):
        try:
            how(to, 9)
        except OSError:
            pass


def wait_by_pipe(pid, fd, os=posix, how=posix.WEXITED | posix.WNOHANG | posix.WNOWAIT):
    """
    Waits for a child as serve() does, before Python 3.9. The child may have left its end to a process that outlives it, or have
    closed it to go on.
    """
    poller, pause_ms = select.poll(), 100
    poller.register(CHANNEL, select.POLLIN)
    poller.register(fd, 0)
    while True:
        for at, _ in poller.poll(pause_ms):
            if at == fd:
                poller.unregister(fd)
                pause_ms = 0
            elif receive_frame()[0] == b"K":
                kill(pid)
                return
        if os.waitid(os.P_PID, pid, how):
            return
        pause_ms = min(pause_ms + 1, 20)


def serve(space, os=posix, poller=POLLER, readable=select.POLLIN, read=posix.read, fork=posix.fork, killpg=posix.killpg,
          waitpid=posix.waitpid, write=posix.write, open_process=getattr(posix, "pidfd_open", None)):
    """
    Between two forks as little as may be: each object that is touched is in a page that is copied, or was. So a case is read by
    the child alone, and what a frame has is not looked up in this file.
    """
    again = seed_again()
    while True:
        head = read(CHANNEL, 16)
        while len(head) < 16:
            head += receive_bytes(16 - len(head))
        payload = receive_bytes(head[4] | head[5] << 8 | head[6] << 16 | head[7] << 24)
        if head[0] == NAMES:
            tell_names(space, int.from_bytes(head[8:], "little"))
        if head[0] != CASE:
            continue
        flush()
        fd, child_fd = (-1, -1) if open_process else os.pipe()
        try:
            pid = fork()
        except OSError:  # the kernel has no process for it
            write(CHANNEL, b"P\0\0\0\0\0\0\0" + head[8:])
            if not open_process:
                os.close(fd)
                os.close(child_fd)
            continue
        if not pid:
            if again:
                again()
            run_case(space, head[8:], payload)
        if open_process:
            fd = open_process(pid)
            poller.register(fd, readable)
            # Meanwhile csbx may want it dead. The next frame is not about it.
            while True:
                ready = poller.poll()
                if len(ready) == 1 and ready[0][0] == fd:
                    break
                if receive_frame()[0] == b"K":
                    kill(pid)
                    break
            poller.unregister(fd)
        else:
            os.close(child_fd)
            wait_by_pipe(pid, fd)
        # What it has left behind in its process group, which has its number as long as it is not reaped.
        try:
            killpg(pid, 9)
        except OSError:
            pass
        status = waitpid(pid, 0)[1]
        if HAS << 8 < status < HAS + 8 << 8:
            need_again(status)
        text = b"i%d;" % status
        os.close(fd)
        write(CHANNEL, b"E\0\0\0%c\0\0\0%b%b" % (len(text), head[8:], text))


def main():
    global SNIPPET, SPACE
    SNIPPET, setup = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    prepare()
    module = type(sys)("snippet")
    module.__file__ = SNIPPET
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["snippet"] = module
    SPACE = module.__dict__
    sys.argv[:] = [SNIPPET]
    try:
        for path in filter(None, (setup, SNIPPET)):
            source = source_of(path)
            watch_seeds(source)
            load(path, module.__dict__, source)
    except BaseException as error:
        error = outside(error)
        kind, message, line = describe(error, SNIPPET)
        send(b"X", 0, literal([kind, "in the setup: " + message if path == setup else message, line]))
        if not isinstance(error, SystemExit):
            sys.excepthook(type(error), error, error.__traceback__)
        flush()
        posix._exit(1)
    try:
        send(b"L", 0, names_wanted(module.__dict__))
        serve(module.__dict__)
    except Gone:
        flush()
        posix._exit(0)


main()
