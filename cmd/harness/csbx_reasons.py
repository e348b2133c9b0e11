# SPDX-License-Identifier: Apache-2.0
"""Looks whether what tests ask for, before they skip themselves, is what it was: for pytest and for unittest."""
import builtins
import os
import sys
import types

from csbx_conditions import changed_surroundings, conditions_of_skips, gone_modules, hidden_modules
from csbx_texts import says

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours


def names_it(own, key):
    """True for an attribute by its name, or by a text for getattr()."""
    word = key.encode("utf-8", "replace")
    return any(before + word in own for before in (b".", b'"', b"'"))


def make_reasons(ask, repo, text_of):
    """look_at_reasons(name of a test that was skipped or expected to fail, its files)"""
    text, modules, has_words, is_named = text_of, sys.modules, says, names_it
    plain = (bool, int, str, bytes, tuple, type(sys.flags), type(sys.version_info))
    hidden, around, gone, directory, module_type = hidden_modules, changed_surroundings, gone_modules, os.getcwd(), types.ModuleType
    paths = [p for p in [*sys.path, repo] if type(p) is str]

    def other_parts(first, own):
        """What a file names of the modules that it names, and that is no longer what it was at first."""
        found, nothing = [], object()
        for name in [n for n in first if n.encode() in own and type(modules.get(n)) is module_type and n not in ("builtins", "warnings")]:
            was, now = first[name][0], vars(modules[name])
            for key in [k for k in now.keys() | was.keys() if type(k) is str and now.get(k, nothing) is not was.get(k, nothing)]:
                is_told = type(was.get(key, now.get(key))) in plain or key not in now
                if is_told and (key[:2] != "__" or key == "__version__") and is_named(own, key) and not has_words(own, key):
                    found.append("%s.%s" % (name, key))
        return found

    def others_than(file):
        """The texts of the modules of the repository, as it was, that are loaded."""
        homes = [getattr(m, "__file__", None) for m in list(modules.values()) if isinstance(m, module_type)]
        homes = [f for f in homes if isinstance(f, str) and f.startswith(repo + "/") and f.endswith(".py") and f != file]
        return [text(f) for f in homes if ask("vouched", f)]

    def look_at_reasons(name, files):
        """A test skips, or is expected to fail, for something that it asks for and that the run has changed."""
        texts, first = [text(f) for f in files], ask("known")["at_first"]
        for file, own in zip(files, texts):
            for reason in around(own, lambda: others_than(file), directory) + other_parts(first, own) + list(gone(own, file, ask("known")["older"])):
                ask("found", "outcome_call", "%s may ask for %s%s" % (name, reason, "" if "," in reason else ", which is another"))
        lost = [p for p in paths if p not in [q for q in list(sys.path) if type(q) is str]]
        if lost and not any(b"sys.path" in t or b"syspath" in t for t in texts + others_than(None)):
            ask("found", "outcome_call", "%s is skipped, and %s is gone from sys.path" % (name, lost[0]))
        names = hidden()
        if names and not any(b"sys.modules" in t for t in texts):
            ask("found", "outcome_call", "%s is skipped, and %s is said not to be there" % (name, names[0]))
    return look_at_reasons


def file_of_class(kind, repo):
    """The file of the repository that a class is of, or None."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file if isinstance(file, str) and file.startswith(repo + "/") else None


def place_of(module, repo):
    """The file of a module, by its name."""
    place = "%s/%s" % (repo, module.replace(".", "/"))
    return place + ".py" if os.path.isfile(place + ".py") else place + "/__init__.py"


def make_condition(ask, repo, text_of):
    """look_at_condition(class, name of its method, name of the test): of a test that a decorator of unittest has skipped."""
    text, file_of, conditions = text_of, file_of_class, conditions_of_skips

    def look_at_condition(kind, name, test):
        found = []
        for base in kind.__mro__:
            file = file_of(base, repo)
            if file is not None and ask("vouched", file):
                found += conditions(text(file), base.__qualname__, name)
            elif base.__module__.partition(".")[0] not in ("unittest", "builtins"):
                return  # of a library, or of a patch, which is told otherwise
        if found and all([c is False for c in found]):
            ask("found", "outcome_call", "the condition by which %s is skipped is another" % test)
    return look_at_condition


def make_unittest_reasons(ask, repo, text_of):
    """look(test that was skipped or expected to fail, whether it was skipped by a decorator)"""
    look_at_reasons, look_at_condition = make_reasons(ask, repo, text_of), make_condition(ask, repo, text_of)
    modules, file_of, place_of_module = sys.modules, file_of_class, place_of

    def holder_of(test):
        """The class of a test; of a class that was skipped whole unittest keeps the name alone: setUpClass (module.Class)."""
        if type(test).__name__ != "_ErrorHolder":
            return type(test)
        module, _, name = str(getattr(test, "description", "")).partition(" (")[2].rstrip(")").rpartition(".")
        kind = getattr(modules.get(module), name, None)
        return kind if isinstance(kind, type) else type(test)

    def look(test, is_skipped_by_mark):
        kind = holder_of(test)
        files = [f for f in [file_of(b, repo) for b in kind.__mro__] if f is not None][:1]
        if kind.__name__ == "ModuleSkipped":  # of which unittest keeps the name
            files = [place_of_module(getattr(test, "_testMethodName", ""), repo)]
        look_at_reasons(test.id(), files)
        if is_skipped_by_mark:
            look_at_condition(kind, getattr(test, "_testMethodName", ""), test.id())
    return look
