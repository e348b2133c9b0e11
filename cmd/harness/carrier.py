# SPDX-License-Identifier: Apache-2.0
# Carries the calls of asserting code to csbx, and the answers back: one after the other, in a thread of each process. For check.py.


def lock_file():
    """A file of no name, which processes take turns by: a lock ends with the process that has it."""
    if hasattr(posix, "memfd_create"):
        return posix.memfd_create("turn")
    name = "/tmp/.csbx-%d" % posix.getpid()
    fd = posix.open(name, posix.O_RDWR | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600)
    posix.unlink(name)
    return fd


class Turn(object):
    """What is sent goes out whole: by one process at a time, as forks may have the channel of the process that they come from,
    and by one thread of it, which a lock of a file does not tell from others."""

    def __init__(self, threads):
        self.fd, self.new_lock, self.locks = lock_file(), threads.allocate_lock, {}

    def __enter__(self, lock=posix.lockf, how=posix.F_LOCK, getpid=posix.getpid):
        inner = self.locks.setdefault(getpid(), self.new_lock())
        inner.acquire()
        try:
            lock(self.fd, how, 0)
        except BaseException:
            inner.release()
            raise

    def __exit__(self, *error, lock=posix.lockf, how=posix.F_ULOCK, getpid=posix.getpid):
        try:
            lock(self.fd, how, 0)
        finally:
            self.locks[getpid()].release()

    def leave_word(self, word):
        """For the check's own process, in the file."""
        posix.pwrite(self.fd, word.encode("utf-8", "backslashreplace")[:4000], 0)

    def word_left(self):
        return posix.pread(self.fd, 4000, 0).decode("utf-8", "replace")


def tell(kind, payload=b""):
    """What is no call, of the process as a whole. Short enough to be sent by one call of the system."""
    with TURN:
        send(kind, 0, payload)


WITH_CHANGES = (4, 7)  # parts of an answer, "R" or "E", where the last is what the call did to its arguments


def argument_in(reader, number):
    need("RESTORED")
    return argument_here(reader.question, number)


def answer_of(payload, question):
    """question: what told it, of a call; its arguments may be in an answer that says what became of them."""
    reader = Reader(payload)
    reader.question = question
    answer = reader.read()
    if len(answer) in WITH_CHANGES:
        need("RESTORED")  # by this thread alone: those that have called may be many
    elif question is not None and question.sent is not None:
        raise ValueError("an argument")
    return answer


class Carrier(object):
    """Calls of one process, one after the other. They are carried in a thread of their own: no handler of a signal runs there,
    and what one raises in a thread that waits leaves no half of a call behind. An answer has the number of its question."""

    def __init__(self, threads):
        self.new_lock, self.number, self.begun, self.ended = threads.allocate_lock, 0, 0, 0
        self.count, self.is_first_open = threads._count, False
        self.turn, self.waiting, self.work, self.thread = threads.allocate_lock(), [], threads.allocate_lock(), None
        self.work.acquire()
        for pauses in range(100, -1, -1):
            try:
                threads.start_new_thread(self.carry_all, (threads.get_ident,))
                return
            except RuntimeError:  # the user has as many as may be, as a rule for a moment
                if not pauses:
                    raise
                __import__("time").sleep(0.1)

    def carry(self, question, teller=None):
        self.number += 1
        number = self.number
        with TURN:
            send(b"Q", number, question)
        while True:
            kind, of, payload = receive_frame()
            if kind == b"A" and of == number:
                try:
                    return answer_of(payload, teller)
                except CallFailed as error:  # a set with a value that cannot be told
                    return ["F", str(error)]
                except Exception as error:  # a set of lists, from a program that writes its answers by hand
                    return ["F", "what it returned is no value: %s" % error]

    def carry_all(self, get_ident):
        self.thread = get_ident()
        while True:
            self.work.acquire()
            while self.waiting:
                question, answers, done, teller = self.waiting.pop(0)
                try:
                    answers.append(self.carry(question, teller))
                except BaseException:
                    pass  # there is none: csbx is gone
                self.ended += 1
                question = answers = teller = None  # which is not kept by this thread
                done()

    def ask(self, question, teller=None):
        answers, is_done = [], self.new_lock()
        is_done.acquire()
        self.begin(question, answers, is_done.release, teller)
        is_done.acquire()
        if not answers:
            raise Gone()
        return answers[0]

    def ask_first(self, question):
        """
        Without the thread, as two switches to it and back are most of what a question costs: that which nearly each check begins with,
        of the one thread that there is. None: it is not the first. What a handler of a signal raises meanwhile leaves half of it behind,
        and it stays open.
        """
        if self.begun or self.count() != 1:
            return None
        self.begun, self.is_first_open = 1, True
        answer = self.carry(question)
        self.ended, self.is_first_open = 1, False
        return answer

    def begin(self, question, answers, done, teller=None):
        """teller: by which the question was told, which the answer may be about."""
        self.begun += 1
        self.waiting.append((question, answers, done, teller))
        with self.turn:
            if self.work.locked():
                self.work.release()


def send_descriptor(socket, text, fd, tries=30000):
    """Other programs of the user may have as many on their way as the kernel lets through (ETOOMANYREFS): that passes."""
    from _socket import SCM_RIGHTS, SOL_SOCKET
    from select import select
    while True:
        try:
            return socket.sendmsg([text], [(SOL_SOCKET, SCM_RIGHTS, fd.to_bytes(4, sys.byteorder))])
        except OSError as error:
            tries -= 1
            if error.errno != 109 or not tries:
                raise
        select([], [], [], 0.001)


def open_channel():
    """In a fork: a channel of its own in the place of that of the process it comes from, whose answers are not its."""
    import _socket
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    near, far = ours.detach(), theirs.detach()
    old = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, posix.dup(CHANNEL))
    with TURN:
        send_descriptor(old, b"J" + bytes(15), far)
    old.close()
    posix.close(far)
    posix.dup2(near, CHANNEL, False)
    posix.close(near)
