# SPDX-License-Identifier: Apache-2.0
# Calls a function of a snippet, one case at a time, each in a fresh fork of the loaded snippet:
# PROTOCOL.md. It is sent one case's arguments, and never what is expected of them.
import select

SNIPPET, SETUP = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None


def find(space, name):
    """NAME, or CLASS.METHOD of an instance that is made without arguments."""
    first, _, rest = name.partition(".")
    if first not in space:
        raise LookupError("the snippet defines no %s" % first)
    found = space[first]
    for part in rest.split(".") if rest else ():
        if isinstance(found, type) and type(found.__dict__.get(part)).__name__ == "function":
            found = found()
        found = getattr(found, part)
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


def answer_of(space, request):
    name, args, kwargs, wants_output = request
    output = redirect_output() if wants_output else -1
    printed = None
    try:
        value = find(space, name)(*args, **kwargs)
        answer = ["R", type(value).__name__, value]
    except BaseException as error:
        answer = ["E"] + describe(error, SNIPPET)
        if isinstance(error, LookupError) and answer[3] == 0:
            answer[0] = "U"
    flush()
    if output >= 0:
        printed = posix.pread(output, 1048576, 0).decode("utf-8", "replace")
    try:
        data = literal(answer + [printed])
    except Unfit as error:
        data = literal(["T", type(value).__name__, str(error), printed])
    if len(data) > BYTES_MAX:
        data = literal(["T", type(value).__name__, "it is larger than 8 MB", None])
    return data


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


def wait(pid, pipe):
    """Waits for a child, and meanwhile for csbx, which may want it dead."""
    poller = select.poll()
    poller.register(CHANNEL, select.POLLIN)
    poller.register(pipe, 0)
    pause_ms = -1
    while True:
        for fd, _ in poller.poll(pause_ms):
            if fd == CHANNEL and receive()[0] == b"K":
                kill(pid)
            elif fd == pipe:
                # Its end of the pipe is closed: it is ending, or has closed it to go on.
                poller.unregister(pipe)
                pause_ms = 0
        done, status = posix.waitpid(pid, posix.WNOHANG)
        if done:
            return status
        if pause_ms >= 0:
            pause_ms = min(pause_ms + 1, 20)


def serve(space):
    while True:
        kind, number, request = receive()
        if kind != b"C":
            continue
        flush()
        pipe, child_pipe = posix.pipe()
        pid = posix.fork()
        if not pid:
            posix.close(pipe)
            run_case(space, number, request)
        posix.close(child_pipe)
        status = wait(pid, pipe)
        posix.close(pipe)
        kill(pid)  # what it has left behind in its process group
        send(b"E", number, b"i%d;" % status)


def main():
    prepare()
    module = type(sys)("snippet")
    module.__file__ = SNIPPET
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["snippet"] = module
    sys.argv[:] = [SNIPPET]
    try:
        for path in filter(None, (SETUP, SNIPPET)):
            load(path, module.__dict__)
    except BaseException as error:
        error = outside(error)
        send(b"X", 0, literal(describe(error, SNIPPET)))
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
