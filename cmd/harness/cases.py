# SPDX-License-Identifier: Apache-2.0
# Calls a function of a snippet, one case at a time, each in a fresh fork of the loaded snippet:
# PROTOCOL.md. It is sent one case's arguments, and never what is expected of them.
import select

PRINTED_MAX = 7000000


class Missing(Exception):
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
        raise Missing("the snippet defines no %s" % first)
    found = space[first]
    for part in rest.split(".") if rest else ():
        if isinstance(found, type) and is_of_instances(found, part):
            try:
                found = found()
            except BaseException as error:
                raise Missing("an instance of %s cannot be made: %s: %s" % ((found.__name__,) + tuple(describe(error, SNIPPET)[:2])))
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Missing("the snippet defines no %s" % name)
    if not callable(found):
        raise Missing("%s is no function, but of type %s" % (name, type(found).__name__))
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


def call(space, name, args, kwargs):
    """The answer but for what was printed."""
    try:
        function = find(space, name)
    except BaseException as error:
        return ["U", "LookupError", "", describe(error, SNIPPET)[1], 0]
    try:
        value = awaited(function(*args, **kwargs))
        return ["R", type(value).__name__, value]
    except BaseException as error:
        kind, message, line = describe(error, SNIPPET)
        return ["E", kind, built_in_base(type(error)), message, line]


def answer_of(space, request):
    name, args, kwargs, wants_output = request
    output = redirect_output() if wants_output else -1
    answer = call(space, name, args, kwargs)
    flush()
    printed = printed_to(output) if wants_output else None
    try:
        data = literal(answer + [printed])
        why = "it is larger than 8 MB" if len(data) > BYTES_MAX else None
    except Unfit as error:
        why = str(error)
    except BaseException as error:
        why = type(error).__name__
    return data if why is None else literal(["T", answer[1], why, printed])


def run_case(space, number, request):
    """In the child."""
    me = posix.getpid()
    try:
        posix.setpgid(0, 0)
        data = answer_of(space, request)
        # A function that forks comes back twice.
        if posix.getpid() == me:
            send(b"A", number, data)
    finally:
        posix._exit(0)


def kill(pid, os=posix):
    for how, to in ((os.killpg, pid), (os.kill, pid)):
        try:
            how(to, 9)
        except OSError:
            pass


def wait(pid, pipe, os=posix, how=posix.WEXITED | posix.WNOHANG | posix.WNOWAIT):
    """Waits for a child, and meanwhile for csbx, which may want it dead."""
    poller = select.poll()
    poller.register(CHANNEL, select.POLLIN)
    poller.register(pipe, 0)
    pause_ms = 100  # it may have left the pipe to a process that outlives it
    is_killed = False
    while not is_killed:
        for fd, _ in poller.poll(pause_ms):
            if fd == CHANNEL and receive_frame()[0] == b"K":
                kill(pid)
                is_killed = True  # the next frame on the channel is not ours
            elif fd == pipe:
                # Its end of the pipe is closed: it is ending, or has closed it to go on.
                poller.unregister(pipe)
                pause_ms = 0
        if os.waitid(os.P_PID, pid, how):
            break
        if pause_ms >= 0:
            pause_ms = min(pause_ms + 1, 20)
    # What it has left behind in its process group, which has its number as long as it is not reaped.
    try:
        os.killpg(pid, 9)
    except OSError:
        pass
    return os.waitpid(pid, 0)[1]


def serve(space, os=posix):
    """Between two forks as little as may be: each object that is touched is in a page that is copied, or was."""
    while True:
        kind, number, request = receive()
        if kind != b"C":
            continue
        flush()
        pipe, child_pipe = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(pipe)
            run_case(space, number, request)
        os.close(child_pipe)
        status = wait(pid, pipe)
        os.close(pipe)
        send(b"E", number, b"i%d;" % status)


def main():
    global SNIPPET
    SNIPPET, setup = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    prepare()
    module = type(sys)("snippet")
    module.__file__ = SNIPPET
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["snippet"] = module
    sys.argv[:] = [SNIPPET]
    try:
        for path in filter(None, (setup, SNIPPET)):
            load(path, module.__dict__)
    except BaseException as error:
        error = outside(error)
        kind, message, line = describe(error, SNIPPET)
        send(b"X", 0, literal([kind, "in the setup: " + message if path == setup else message, line]))
        if not isinstance(error, SystemExit):
            sys.excepthook(type(error), error, error.__traceback__)
        flush()
        posix._exit(1)
    send(b"L", 0)
    try:
        serve(module.__dict__)
    except Gone:
        flush()
        posix._exit(0)


main()
