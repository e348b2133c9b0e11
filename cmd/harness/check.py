# SPDX-License-Identifier: Apache-2.0
# Runs asserting code in a container of its own. What it calls of the snippet runs elsewhere: csbx
# carries the calls and what comes back, as values: PROTOCOL.md.
CHECK, FUNCTION = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None


class RemoteError(Exception):
    """An exception of a type that is not built in."""


class Missing(Opaque):
    """Stands for a value that cannot be told. It is nothing to assert on."""

    def __bool__(self):
        raise TypeError("the snippet returned a %s, which cannot be judged" % self.kind)

    __len__ = __iter__ = __contains__ = __getitem__ = __bool__


def make_error(name, message):
    import builtins
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            return kind(message)
        except TypeError:
            pass
    return RemoteError("%s: %s" % (name, message))


def call(name, args, kwargs):
    flush()
    send(b"Q", 0, literal([name, list(args), kwargs]))
    kind, _, answer = receive()
    if kind != b"A":
        raise Gone()
    if answer[0] == "R":
        return answer[1]
    raise make_error(answer[1], answer[2])


class Function(object):
    """A function of the snippet."""

    def __init__(self, name):
        self.__name__ = self.__qualname__ = name

    def __call__(self, *args, **kwargs):
        return call(self.__name__, args, kwargs)

    def __repr__(self):
        return "<function %s of the snippet>" % self.__name__


class Solution(type(sys)):
    """The module that asserting code imports the snippet's functions from."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Function(name)


def run(space):
    load(CHECK, space)
    if FUNCTION and callable(space.get("check")):
        space["check"](space["candidate"])
    for name in list(space):
        if name.startswith("test_") and callable(space[name]):
            space[name]()


def main():
    global Opaque
    Opaque = Missing
    prepare()
    module = type(sys)("__main__")
    module.__file__ = CHECK
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["__main__"] = module
    sys.modules["solution"] = Solution("solution")
    sys.argv[:] = [CHECK]
    if FUNCTION:
        module.__dict__[FUNCTION.partition(".")[0]] = module.__dict__["candidate"] = Function(FUNCTION)
    try:
        run(module.__dict__)
    except Gone:
        posix._exit(1)
    except BaseException as error:
        error = outside(error)
        send(b"X", 0, literal(describe(error, CHECK)))
        if not isinstance(error, SystemExit):
            sys.excepthook(type(error), error, error.__traceback__)
        flush()
        posix._exit(1)
    flush()
    send(b"D", 0)
    posix._exit(0)


main()
