# SPDX-License-Identifier: Apache-2.0
"""The way to the core, and ways around it that the interpreter has and that raise no audit event.

Tested code can read the closure of every function, and change it. So no closure and no module holds a way to the core.
A request is an audit event, and the function that raises it has what it calls as a constant of its code.
"""
import functools
import marshal
import types

EVENT = "csbx.ask"


def _ask(*request):
    audit, box = "the audit function", []
    audit("csbx.ask", request, box)
    return box[0] if box else None


def ask_by_event(audit):
    """ask(request...), which raises an audit event that the core's hook answers."""
    code = _ask.__code__
    consts = tuple(audit if c == "the audit function" else c for c in code.co_consts)
    return types.FunctionType(code.replace(co_consts=consts), {}, "ask")


def _hidden(function):
    """A callable that does the same. A function of Python shows what it calls; this one does not."""
    hidden = functools.lru_cache(maxsize=0)(function)
    del hidden.__wrapped__
    return hidden


def close_ways():
    """Code of the frozen modules by name, or None. From here on _imp makes no code of bytes without an audit event, and
    gives no second module of its name, whose functions would be the old ones."""
    try:
        import _imp
        frozen, create = _imp.get_frozen_object, _imp.create_builtin
    except (ImportError, AttributeError):
        return None
    if getattr(frozen, "__code__", None) is not None:
        return None
    own, of_frozen, of_builtin, loads, plain, _type, _str = _imp, _hidden(frozen), _hidden(create), marshal.loads, types.SimpleNamespace, type, str

    def get_frozen_object(name, data=None):
        return of_frozen(name) if data is None else loads(data)

    def create_builtin(spec):
        name = spec.name
        if _type(name) is not _str:
            raise TypeError("the name of a module is a str")
        return own if name == "_imp" else of_builtin(plain(name=name))
    _imp.get_frozen_object, _imp.create_builtin = get_frozen_object, create_builtin
    return of_frozen
