# SPDX-License-Identifier: Apache-2.0
"""Takes the harness's modules out of reach: no name leads to them, and none of its functions that others call has their names.

Tested code finds a module by its name in sys.modules, and a function's module by the function's globals. What lies in a module can be
another for one call, and be back before it is looked at.
"""
import builtins
import sys
import types

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours


def hide_modules():
    """The harness's modules, which are found by no name from here on. The program has another __main__, which is empty."""
    own = {name: module for name, module in sys.modules.items() if name == "__main__" or name.startswith("csbx_")}
    main = types.ModuleType("__main__")
    main.__dict__.update({k: own["__main__"].__dict__.get(k) for k in ("__file__", "__loader__", "__package__", "__spec__")},
                         __builtins__=builtins)
    for name in own:
        del sys.modules[name]
    sys.modules["__main__"] = main
    return own


def set_apart(function, **names):
    """The same function, whose globals are builtins and these names alone: it needs no others but those that it closes over."""
    space = dict(names, __builtins__=dict(vars(builtins)), __name__=function.__module__)
    apart = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, function.__closure__)
    apart.__kwdefaults__, apart.__qualname__, apart.__doc__ = function.__kwdefaults__, function.__qualname__, function.__doc__
    return apart


def set_methods_apart(kind, **names):
    for name, value in list(vars(kind).items()):
        if type(value) is types.FunctionType:
            setattr(kind, name, set_apart(value, **names))
    return kind
