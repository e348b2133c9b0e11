# SPDX-License-Identifier: Apache-2.0
# What can be called, of the snippet, and what stands under its names: for asserting code. For check.py.


# What a function has by itself. Python calls nothing else that has such a name, as __deepcopy__().
TOLD_OF_FUNCTIONS = dict({name: (str, type(None)) for name in ("__name__", "__qualname__", "__doc__", "__module__")}, __annotations__=(dict,),
                         __defaults__=(tuple, type(None)), __kwdefaults__=(dict, type(None)))


class Function(object):
    # What can be called, of the snippet. What is asked of it is asked there.
    __slots__ = "__path", "__is_async", "__weakref__"

    def __init__(self, path, is_async=False):
        set_path(self, path)
        set_is_async(self, is_async)

    def __call__(*args, **kwargs):
        return call(args[0].__path, args[1:], kwargs, args[0].__is_async)

    def __repr__(self):
        return "<function %s of the snippet>" % self.__path

    def __getattr__(self, name):
        if name in ("__code__", "__globals__", "__closure__", "__signature__", "__self__", "__func__"):
            CALLER.fail("%s of %s() of the snippet cannot be judged" % (name, self.__path))
        found = look_up("%s.%s" % (self.__path, name))
        if found is NOTHING:
            raise AttributeError("'%s' of the snippet has no attribute '%s'" % (self.__path, name))
        if name == "__dict__" and type(found) is dict:  # for functools.wraps()
            return {key: value for key, value in found.items() if type(key) is str and key[:1] != "_" and key != "pytestmark"}
        if name[:2] == "__" and type(found) not in TOLD_OF_FUNCTIONS.get(name, ()):
            CALLER.fail("%s of %s() of the snippet cannot be judged" % (name, self.__path))
        return found

    def __setattr__(self, name, value):
        CALLER.fail("%s.%s is set, which the snippet does not see" % (self.__path, name))

    def __eq__(self, other):
        if self is not other and type(other) is Function and "." in self.__path + other.__path:
            CALLER.fail("whether %s() and %s() of the snippet are one cannot be judged" % (self.__path, other.__path))
        return self is other or NotImplemented

    def __hash__(self):
        return 1  # two may be equal, which is asked then

    def __reduce__(self):
        return again, ("function", self.__path, "a" * self.__is_async)

    def of_kind(self, *args):
        CALLER.fail("what is of class %s of the snippet cannot be judged" % self.__path)

    __instancecheck__ = __subclasscheck__ = __mro_entries__ = of_kind


Function.__doc__ = property(lambda self: Function.__getattr__(self, "__doc__"))
Function.__module__ = property(lambda self: "solution")  # which pickle imports
path_of_function, set_path, set_is_async = Function._Function__path.__get__, Function._Function__path.__set__, Function._Function__is_async.__set__
NOTHING = object()
FUNCTIONS = {}  # by their names


def function_here(path, kind=""):
    """The one that stands for a function there, which may have other names: kind is told with the first."""
    kind, _, first = kind.partition("=")
    path = first or path
    if path not in FUNCTIONS:
        known = FUNCTION in FUNCTIONS and CALLER.known and CALLER.known.get(FUNCTION, "")
        FUNCTIONS[path] = FUNCTIONS[FUNCTION] if known and known.partition("=")[2] == path else Function(path, kind == "a")
    return FUNCTIONS[path]


def class_of_callable(value):
    """That of an object of the snippet that can be called."""
    need("TOLD")
    found = look_up(path_of_function(value) + ".__class__")
    return found if plain_isinstance(found, type) else CALLER.fail("the class of %s() of the snippet cannot be judged" % path_of_function(value))


def is_asked_by_check():
    """Or by what it calls, and not by what goes through all that is there, as loaders of tests do."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename == HARNESS:
        frame = frame.f_back
    return CHECK in (frame.f_code.co_filename, frame.f_back and frame.f_back.f_code.co_filename)


NOTED = set()  # names of functions and classes that the check has asked something of


def note_asked(path):
    """What is known here is asked of the snippet once, so that csbx knows of it."""
    if path is not None and path not in NOTED and is_asked_by_check():
        NOTED.add(path)
        CALLER.value_of_name(path + ".__name__")


def may_be_of(kind):
    """Whether what can be called may be an object of it: of functools.partial, or a method."""
    return type(kind) is type and kind not in (type, Function, PLAIN_FUNCTION) and "__call__" in vars(kind) and is_asked_by_check()


def again(what, *parts):
    """What stands for something of the snippet, by what was told of it: as pickle reads it."""
    need("COPIED")
    need("ERRORS")
    return AGAIN[what](*parts)


again.__module__, again.__qualname__ = "solution", "__again__"  # where pickle finds it


def is_harmless(name, found, kind):
    """What Python itself looks for is nothing that it calls or evaluates then."""
    if name[:2] != "__" or name in ("__class__", "__base__"):
        return True
    need("MADE")
    if name == "__dict__" and type(found) is dict:
        return not any(type(key) is not str or key[:2] == "__" and key != "__wrapped__" for key in found)
    return are_annotations(found) if name == "__annotations__" else kind not in ("f", "a", "o", "c", "e", "i")


def look_up(path):
    """What stands under a name of the snippet, or under an attribute of it."""
    try:
        kind, what = CALLER.value_of_name(path)
        if kind == "e":
            need("ERRORS")
            what = error_class(what, [])
        elif kind == "i":
            need("TOLD")
            what = Instance(path)
    except Exception as why:
        CALLER.fail("what %s is was not told: %s" % (path, why))
    if kind == "n":
        return NOTHING
    if not is_harmless(path.rpartition(".")[2], what, kind):
        CALLER.fail("%s of the snippet cannot be judged" % path)
    if kind == "m":
        CALLER.fail("%s, a method of instances of the snippet, cannot be judged" % path)
    return function_here(path, kind) if kind in ("f", "a", "o") else what
