# SPDX-License-Identifier: Apache-2.0
"""The way to the core, and ways around it that the interpreter has and that raise no audit event.

Tested code can read the closure of every function, and change it. So no closure and no module holds a way to the core.
A request is an audit event, and the function that raises it has what it calls as a constant of its code.
"""
import _signal
import builtins
import functools
import gc
import marshal
import operator
import os
import signal
import threading
import types

from csbx_apart import set_apart, set_methods_apart

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

EVENT = "csbx.ask"
IDENTITY = object.__hash__  # of its own for each object there is. id() raises an audit event, which takes ten times as long


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


def make_shelter():
    """(hold, release): while the core runs, no handler of a signal and no collection of garbage runs code in its frames."""
    interrupt = int(_signal.SIGINT)  # Python has a handler of its own for it
    main, thread, get_handler, set_handler = threading.get_ident(), threading.get_ident, _signal.getsignal, _signal.signal
    is_on, stop, go_on, number_type, _type = gc.isenabled, gc.disable, gc.enable, int, type
    known = {n: get_handler(n) for n in range(1, _signal.NSIG) if n not in (interrupt, 9, 19, 32, 33)}
    numbers, handlers = list(known), list(known.values())
    map_to, any_of, differs, kill, getpid = map, any, operator.is_not, os.kill, os.getpid

    def hold():
        was_on = is_on()
        if was_on:
            stop()
        held = came = None
        if thread() != main:
            return was_on, held, came
        first = get_handler(interrupt)
        if first is not None and _type(first) is not number_type:
            held, came = [(interrupt, first)], []
            set_handler(interrupt, lambda number, frame: came.append(number))
        if any_of(map_to(differs, map_to(get_handler, numbers), handlers)):
            held, came = held or [], came or []
            for n, own in known.items():
                now = get_handler(n)
                if now is not own and now is not None and _type(now) is not number_type:
                    held.append((n, now))
                    set_handler(n, lambda number, frame: came.append(number))
        return was_on, held, came

    def release(state):
        was_on, held, came = state
        for n, handler in held or ():
            set_handler(n, handler)
        for n in came or ():
            kill(getpid(), n)
        is_disturbed = was_on and is_on()  # by another thread
        if was_on:
            go_on()
        return is_disturbed
    return hold, release


def close_ways():
    """Code of the frozen modules by name, or None. From here on _imp makes no code of bytes without an audit event, and
    gives no second module of its name, of _signal's or of gc's, whose functions would be the old ones."""
    try:
        import _imp
        frozen, create = _imp.get_frozen_object, _imp.create_builtin
    except (ImportError, AttributeError):
        return None
    if getattr(frozen, "__code__", None) is not None:
        return None
    of_frozen, of_builtin, loads, plain, _type, _str = _hidden(frozen), _hidden(create), marshal.loads, types.SimpleNamespace, type, str
    own = {"_imp": _imp, "_signal": _signal, "gc": gc}

    @set_apart
    def get_frozen_object(name, data=None):
        return of_frozen(name) if data is None else loads(data)

    @set_apart
    def create_builtin(spec):
        name = spec.name
        if _type(name) is not _str:
            raise TypeError("the name of a module is a str")
        return own[name] if name in own else of_builtin(plain(name=name))
    _imp.get_frozen_object, _imp.create_builtin = get_frozen_object, create_builtin
    return of_frozen


def guard_collector(audit):
    """With DEBUG_SAVEALL the collector hands over objects that are no longer in use. Frames are among them, and lead to their callers.
    Python raises no event for that. From here on setting it raises one."""
    set_flags, index, hands_over = gc.set_debug, operator.index, gc.DEBUG_SAVEALL

    @set_apart
    def set_debug(flags):
        flags = index(flags)
        if flags & hands_over:
            audit("gc.set_debug", flags)
        set_flags(flags)
    gc.set_debug = _hidden(set_debug)


class NoFrame(object):
    """What a handler of a signal gets that the harness does not vouch for."""
    __slots__ = ("tell",)

    def __init__(self, tell):
        self.tell = tell

    def __getattribute__(self, name):
        if name != "__class__":
            object.__getattribute__(self, "tell")()
            raise AttributeError("csbx test gives no frame to a handler of a signal that a patch or the run brought")
        return NoFrame


set_methods_apart(NoFrame, NoFrame=NoFrame)


def guard_handlers(ask):
    """Python gives a handler the frame that a signal has interrupted, and raises no audit event: from there all frames can be reached.
    From here on handlers are called without, but those that are functions of the repository as it was."""
    set_handler, get_handler, hide, given = _signal.signal, _signal.getsignal, _hidden, {}
    function_type, method_type, _type, _callable, index = types.FunctionType, types.MethodType, type, callable, operator.index
    kept, none = (_signal.default_int_handler, _signal.SIG_DFL, _signal.SIG_IGN), NoFrame(lambda: ask("no_frame"))

    def code_of(handler):
        function = handler.__func__ if _type(handler) is method_type else handler
        return function.__code__ if _type(function) is function_type else None

    def guarded(handler):
        @set_apart
        def call(number, frame):
            return handler(number, frame if ask("handles", code_of(handler)) else none)
        return hide(call)

    def asked_for(number, handler):
        """What was set, in the words of the code that set it."""
        own, its = given.get(number, (None, None))
        return its if own is not None and own is handler else handler

    @set_apart
    def set_signal(signalnum, handler):
        number = index(signalnum)
        is_ours = _callable(handler) and not [k for k in kept if k is handler]
        own = guarded(handler) if is_ours else handler
        was = asked_for(number, set_handler(number, own))
        given[number] = own, handler
        return was

    @set_apart
    def get_signal(signalnum):
        number = index(signalnum)
        return asked_for(number, get_handler(number))
    for name, own in (("signal", hide(set_signal)), ("getsignal", hide(get_signal))):
        setattr(_signal, name, own)
        if hasattr(getattr(signal, name), "__wrapped__"):
            getattr(signal, name).__wrapped__ = own
