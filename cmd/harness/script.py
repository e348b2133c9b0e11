# SPDX-License-Identifier: Apache-2.0
# Runs a snippet as a program and says on the channel how it got on: PROTOCOL.md. Handed to the
# interpreter in a sealed memfd. Imports nothing that the interpreter has not: each costs a run time.
import sys


def run(path, argv, os=sys.modules["posix"], channel=3, harness=4):
    def text(s):
        data = s.encode("utf-8", "replace")[:4096]
        return b"s%d:%s" % (len(data), data)

    def frame(kind, payload=b""):
        head = kind + b"\0\0\0" + len(payload).to_bytes(4, "little") + bytes(8)
        try:
            os.write(channel, head + payload)
        except OSError:
            pass

    def line_of(error, tb):
        if isinstance(error, SyntaxError) and error.filename == path:
            return error.lineno or 0
        line = 0
        while tb is not None:
            if tb.tb_frame.f_code.co_filename == path:
                line = tb.tb_lineno
            tb = tb.tb_next
        return line

    def failed(error, tb):
        try:
            message = str(error)
        except BaseException:
            message = ""
        frame(b"X", b"l3:" + text(type(error).__name__) + text(message) + b"i%d;" % line_of(error, tb))

    os.set_inheritable(channel, False)
    os.close(harness)
    module = type(sys)("__main__")
    module.__file__ = path
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["__main__"] = module
    sys.argv[:] = argv
    if sys.path:
        sys.path[0] = ""
    with open(path, "rb") as f:
        source = f.read()
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        # The traceback begins in the snippet; what was chained to it does so already.
        tb = error.__traceback__.tb_next
        failed(error, tb)
        if isinstance(error, SystemExit):
            raise
        sys.excepthook(type(error), error.with_traceback(tb), tb)
        raise SystemExit(1)
    frame(b"D")


run(sys.argv[1], sys.argv[1:])
