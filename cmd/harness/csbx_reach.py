# SPDX-License-Identifier: Apache-2.0
"""Keeps pytest's session and configuration out of reach of code under test.

pytest keeps them in places that any code can read: the hook by which it rewrites asserts, the module that explains a failed assert, its
debugger, `pytest.mark`. Here these places get stand-ins that answer what pytest asks there, and lead nowhere.
"""
import builtins
import sys
import types
import warnings

from csbx_apart import set_apart, set_methods_apart

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

KINDS_OF_VERBOSITY = (None, "assertions", "test_cases", "subtests")


class InitialPaths(object):
    """What the hook asks of the session: whether a file was named on the command line."""

    def __init__(self, session):
        self._initialpaths = frozenset(session._initialpaths)
        self._with_parents = frozenset(getattr(session, "_initialpaths_with_parents", ()))

    def isinitpath(self, path, *, with_parents=False):
        here = type(next(iter(self._initialpaths), path))
        return (path if isinstance(path, here) else here(path)) in (self._with_parents if with_parents else self._initialpaths)


class HookSettings(object):
    """What the hook asks of the configuration."""

    def __init__(self, config, has_pass_hook):
        from _pytest.assertion import rewrite
        self._has_pass_hook = has_pass_hook
        if hasattr(config, "_assertstate"):
            self._assertstate = config._assertstate
        for name in ("stash", "_store"):
            key = getattr(rewrite, "assertstate_key", None)
            if key is not None and hasattr(config, name):
                setattr(self, name, {key: getattr(config, name)[key]})

    def getini(self, name):
        return self._has_pass_hook if name == "enable_assertion_pass_hook" else None

    def issue_config_time_warning(self, warning, stacklevel):
        warnings.warn(warning, stacklevel=stacklevel + 1)


class MarkSettings(object):
    """What `pytest.mark` asks of the configuration for a name that it does not know. Of a list it has the one that later marks go into."""

    def __init__(self, config):
        self._found = {}
        for name in ("markers", "strict_markers", "strict"):
            try:
                self._found[name] = config.getini(name)
            except (KeyError, ValueError):  # of another version
                pass
        self.option = types.SimpleNamespace(**{n: getattr(config.option, n, False) for n in ("strict_markers", "strict")})

    def getini(self, name):
        return self._found[name]


class Verbosity(object):
    """What the explanation of a failed assert asks of the configuration."""

    def __init__(self, config):
        self._verbose = config.getoption("verbose", 0)
        ask = getattr(config, "get_verbosity", None)
        self._by_kind = {k: ask(k) if ask is not None else self._verbose for k in KINDS_OF_VERBOSITY}

    def getoption(self, name, default=None):
        return self._verbose if name == "verbose" else default

    def get_verbosity(self, kind=None):
        return self._by_kind.get(kind, self._verbose)


for kind in (InitialPaths, HookSettings, MarkSettings, Verbosity):  # code under test finds objects of these
    set_methods_apart(kind, types=types, warnings=warnings, KINDS_OF_VERBOSITY=KINDS_OF_VERBOSITY)


def hooks():
    return [h for h in sys.meta_path if type(h).__module__ == "_pytest.assertion.rewrite" and type(h).__name__ == "AssertionRewritingHook"]


def make_reach(ask):
    """(of_configuration(config), of_debugger(config), of_session(session), of_test()): each when pytest has put its own there."""
    from _pytest.assertion import util
    from _pytest.debugging import pytestPDB
    from _pytest.mark.structures import MARK_GEN
    marks, of_marks = MARK_GEN, MarkSettings
    rewriting, initial_paths, verbosity, settings, texts = hooks(), InitialPaths, Verbosity, HookSettings, util
    explains = ("_reprcompare", "_assertion_pass")

    def of_configuration(config):
        try:
            has_pass_hook = config.getini("enable_assertion_pass_hook")
        except ValueError:  # pytest 4
            has_pass_hook = False
        rewriting[:] = hooks()
        for hook in rewriting:
            hook.config = settings(config, has_pass_hook)
        ask("known")["verbosity"] = verbosity(config)
        if getattr(marks, "_config", None) is config:
            marks._config = of_marks(config)

    def of_debugger(config):
        if not config.getoption("usepdb", False) and not config.getoption("trace", False):
            pytestPDB._pluginmanager = pytestPDB._config = None

    def of_session(session):
        for hook in rewriting:
            if getattr(hook, "session", None) is session:
                hook.session = initial_paths(session)

    @set_apart
    def compare(op, left, right):
        return ask("known")["explains"]["_reprcompare"](op, left, right)

    @set_apart
    def has_passed(lineno, orig, expl):
        return ask("known")["explains"]["_assertion_pass"](lineno, orig, expl)

    def of_test():
        """What explains a failed assert closes over the test."""
        known, ours = ask("known"), {"_reprcompare": compare, "_assertion_pass": has_passed}
        known["explains"] = {k: getattr(texts, k) for k in explains if getattr(texts, k, None) is not None}
        for name in known["explains"]:
            setattr(texts, name, ours[name])
        if getattr(texts, "_config", None) is not None:
            texts._config = known["verbosity"]
    return of_configuration, of_debugger, of_session, of_test
