# SPDX-License-Identifier: Apache-2.0
# Runs a snippet as a program and says on the channel how it got on: PROTOCOL.md. Every run pays for
# the code that is compiled and imported here: code for a failure is compiled only when there is
# one.
import sys

FAILED = r'''
def text(s):
    data = s.encode("utf-8", "replace")[:4096]
    return b"s%d:%s" % (len(data), data)


tb = error.__traceback__.tb_next  # the traceback begins in the snippet
line, at = 0, tb
while at is not None:
    if at.tb_frame.f_code.co_filename == path:
        line = at.tb_lineno
    at = at.tb_next
if isinstance(error, SyntaxError) and error.filename == path:
    line = error.lineno or 0
try:
    message = str(error)
except BaseException:
    message = ""
payload = b"l3:" + text(type(error).__name__) + text(message) + b"i%d;" % line
send(b"X\0\0\0" + len(payload).to_bytes(4, "little") + bytes(8) + payload)
if not isinstance(error, SystemExit):
    sys.excepthook(type(error), error.with_traceback(tb), tb)
'''


def run(path, os):
    os.set_inheritable(3, False)
    write, fstat, channel = os.write, os.fstat, os.fstat(3)

    def send(frame):
        """Not to what the snippet has put in the channel's place."""
        try:
            at = fstat(3)
            if (at.st_dev, at.st_ino) == (channel.st_dev, channel.st_ino):
                write(3, frame)
        except OSError:
            pass

    module = type(sys)("__main__")
    module.__file__ = path
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["__main__"] = module
    del sys.argv[0]
    # Not by a file object: in a copy of an interpreter that is a dozen more pages that are copied.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    size = 4000  # more is memory that has to be asked for and is given back
    source = more = os.read(fd, size)
    while more:
        if len(more) == size:
            size *= 4
        more = os.read(fd, size)
        source += more
    os.close(fd)
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        exec(FAILED, {"error": error, "path": path, "send": send, "sys": sys})
        if isinstance(error, SystemExit):
            raise
        raise SystemExit(1)
    send(b"D" + bytes(15))


def main():
    run(sys.argv[1], sys.modules["posix"])


main()
