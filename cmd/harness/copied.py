# SPDX-License-Identifier: Apache-2.0
# Copies, and what pickle has of things that stand for the snippet's: what was told of them, and nothing that would be looked up by a name
# or called there. The snippet would be asked anew, and could answer with anything. For check.py, which compiles it when the first comes by.
need("TOLD")
NEW = ("__new__", "__init__", "__reduce__", "__reduce_ex__", "__copy__", "__deepcopy__", "__getstate__", "__setstate__")


def reduced_class(cls):
    """For copyreg.pickle()."""
    part = own_space(cls).get(MADE_OF)
    if part is None:
        CALLER.fail("class %s of the snippet cannot be pickled" % name_of(cls))
    return again, part


def reduced_error(cls):
    """One of the check's that is made of one goes by its name."""
    return (again, ("error", ERRORS_TOLD[cls])) if cls in ERRORS_TOLD else cls.__qualname__


def filled(kind, plain, state):
    """One that has what another has, without its class being called."""
    base = type(plain)
    if base in (frozenset, tuple):
        value = base.__new__(kind, plain)
    else:
        value = base.__new__(kind)
        fill(base, value, plain)
    if state:
        object.__getattribute__(value, "__dict__").update(state)
    return value


def plain_of(value):
    """As it was told: of the class that its own is made of."""
    need("KINDS")
    base = base_of(type(value))
    return PLAIN[base](value) if base in PLAIN else make(name_of(base), LIBRARY["collections." + name_of(base)][1](value))


def reduced(value, protocol=None):
    return again, ("filled", type(value), plain_of(value), attributes_of(value))


def copied(value):
    return filled(type(value), plain_of(value), attributes_of(value))


def copy_without_call(space, refused):
    ways = {"__copy__": copied, "__reduce_ex__": reduced, "__reduce__": reduced}
    if not set(NEW).isdisjoint(refused):
        ways = {name: Refused(name) for name in ways}
    space.update((name, way) for name, way in ways.items() if name not in space)


def member_again(kind, name, *others):
    if (kind, name) not in MEMBERS:
        MEMBERS[kind, name] = make_untold(kind, *others)
    return MEMBERS[kind, name]


AGAIN = {"function": lambda *what: function_here(*what), "instance": lambda path: Instance(path), "class": lambda *part: class_here(part),
         "unknown": unknown_class, "error": lambda told: error_class(told, []), "unlike": lambda *what: make_unlike(*what), "filled": filled,
         "member": member_again, "number": lambda kind, name: MEMBERS[kind, name]}
