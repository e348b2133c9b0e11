# SPDX-License-Identifier: Apache-2.0
"""Looks for files of tests that the repository had before the patches, and that a run of all tests leaves out.

A runner does not say which files it passes by. A directory that looks like an environment of Python, or that is no package any more, is not
entered; so the files that were there are compared with those that were collected.
"""
import ast
import builtins
import fnmatch
import os
import re
import sys
import types

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

OF_PYTEST, OF_UNITTEST = ("test_*.py", "*_test.py"), ("test*.py",)
NOT_ENTERED = (".*", "build", "dist", "node_modules", "venv", "{arch}", "*.egg", "_darcs", "CVS", "__pycache__")  # pytest's norecursedirs
NO_TESTS = ("__init__.py", "conftest.py", "setup.py")
ENVIRONMENT = tuple("%s/%s" % (d, n) for d in ("bin", "Scripts") for n in ("activate", "activate.csh", "activate.fish", "Activate", "Activate.bat",
                    "Activate.ps1")) + ("pyvenv.cfg", "conda-meta/history")
DEFINED = re.compile(rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.M)
# Another way to have tests: a class that may inherit them, a name for what was made elsewhere.
BOUND = re.compile(rb"^(?:[ \t]*class[ \t]+(?:Test|\w*Tests?\b|\w+[ \t]*\([^)]*Test)|def[ \t]+load_tests\b|(?:[ \t]*test_|[Tt]est)\w*[ \t]*[:=]|"
                   rb"from\b.*\bimport\b.*\b[Tt]est|from\b.*[Tt]est.*\bimport\b.*\*)", re.M)
COMPUTED = (b"glob", b"listdir", b"walk", b"iterdir", b"scandir")


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns)


def has_tests(text, starts=("test",)):
    return any(n.decode("utf-8", "replace").startswith(tuple(starts) + ("test",)) for n in DEFINED.findall(text))


def is_test_in_name_only(path, text):
    """True for a file that has the name of a test module, and by its text no tests: settings, values, a program that tests start."""
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test") or name.endswith("_test.py")) and not has_tests(text) and not BOUND.search(text)


def directories_of(path):
    """a/b/c.py -> a, a/b"""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:n + 1]) for n in range(len(parts))]


def is_discovered(path, files):
    """As unittest discovers from the top: through packages."""
    return matches(path.rpartition("/")[2], OF_UNITTEST) and all(d + "/__init__.py" in files for d in directories_of(path))


def is_in_environment(path, files):
    """As pytest tells an environment of Python; by what was there before the patches."""
    return any("%s/%s" % (d, n) in files for d in directories_of(path) for n in ENVIRONMENT)


def gone(want, repo, had, texts):
    """The files of tests that patches took away, where all are asked for. had: the files before; texts: of those that patches name."""
    asked = [os.path.normpath(os.path.relpath(os.path.join(repo, a.partition("::")[0]), repo)) for a in want["args"] if a and a[0] != "-"]
    asked = [a for a in asked if any(p == a or p.startswith(a + "/") for p in had)]
    found = []
    for path in [] if want["ids"] else sorted(had):
        if not path.endswith(".py") or os.path.lexists(os.path.join(repo, path)) or not has_tests(texts.get(os.path.join(repo, path), b"def test")):
            continue
        if want["runner"] == "unittest":
            is_test = is_discovered(path, had)
        else:
            is_test = matches(path.rpartition("/")[2], OF_PYTEST) and not is_in_environment(path, had) and \
                not any(matches(part, NOT_ENTERED) for part in path.split("/")[:-1])
        if is_test and (not asked or any(path == a or path.startswith(a + "/") for a in asked)):
            found.append(path)
    return found


def statements_of(text, word):
    """What a module says at its top with a word in it."""
    try:
        return [d for d in map(ast.dump, ast.parse(text).body) if word in d]
    except (SyntaxError, ValueError, RecursionError):
        return [word]


def make_before(ask, older, text_of):
    """before(path, what else): the text of a file as it was before the patches; what else, where the run has written or removed it."""
    text = text_of

    def before(full, other=b"def test"):
        return older[full] if full in older else text(full) if ask("vouched", full) else other
    return before


def make_files(ask, repo, text_of, want):
    """begin(config), tried(collector), look(config): tells of files of tests that pytest did not collect."""
    had, older, text, has, fits, in_environment, computed = want["had"], want["older"], text_of, has_tests, matches, is_in_environment, COMPUTED
    no_tests, join, normal, real, directory_of = NO_TESTS, os.path.join, os.path.normpath, os.path.realpath, os.path.dirname

    before = make_before(ask, older, text_of)

    def begin(config):
        here = str(getattr(config.invocation_params, "dir", "."))
        option = config.option
        ask("known").update(tried=set(), places={
            "here": here, "args": [normal(join(here, str(a).partition("::")[0])) for a in config.args],
            "patterns": list(config.getini("python_files")), "starts": [p.rstrip("*") for p in config.getini("python_functions")],
            "closed": list(config.getini("norecursedirs")), "ignored": [normal(join(here, str(p))) for p in getattr(option, "ignore", None) or ()],
            "globs": [normal(join(here, str(p))) for p in getattr(option, "ignore_glob", None) or ()]})

    def tried(collector):
        path = str(getattr(collector, "path", None) or collector.fspath)
        ask("known")["tried"].update((path, real(path)))

    def is_named(full, patterns):
        name = full.rpartition("/")[2]
        return name not in no_tests and any([fits(full, [p if p[0] == "/" else "*/" + p]) if "/" in p else fits(name, [p]) for p in patterns])

    def is_asked(full, places):
        """Below one of the arguments, through directories that pytest enters."""
        if not os.path.lexists(full):
            return True
        for top in places["args"]:
            parts = full[len(top) + 1:].split("/")[:-1] if full.startswith(top + "/") else None
            if full == top or parts is not None and not any([fits(part, places["closed"]) for part in parts]):
                return True
        return False

    def above(full):
        """A path, and the directories above it."""
        found = [full]
        while found[-1] not in ("/", ""):
            found.append(directory_of(found[-1]))
        return found

    def is_hit(full, paths, globs):
        return any([p in paths or fits(p, globs) for p in above(full)])

    def said_by(conftest):
        """(paths, patterns) that a conftest.py, as it was, leaves out by its own words."""
        file, words, found = conftest.__file__, text(conftest.__file__), []
        for name in ("collect_ignore", "collect_ignore_glob"):
            values = vars(conftest).get(name)
            values = [str(v) for v in list(values) if type(v) is str or type(v).__module__.partition(".")[0] in ("pathlib", "py")] \
                if type(values) in (list, tuple, set) else []
            found.append([normal(join(directory_of(file), v)) for v in values if name.encode() in words and
                          (v.rstrip("/").rpartition("/")[2].encode("utf-8", "replace") in words or any([w in words for w in computed]))])
        return found if ask("vouched", file) else ([], [])

    def leaves_out(full, conftests):
        """True where a conftest.py, as it was, has words for it."""
        for conftest in conftests:
            is_above = full.startswith(directory_of(conftest.__file__) + "/")
            if is_hit(full, *said_by(conftest)) or \
                    is_above and b"pytest_ignore_collect" in text(conftest.__file__) and ask("vouched", conftest.__file__):
                return True
        return False

    def is_left_to_a_plugin(config):
        impls = config.pluginmanager.hook.pytest_ignore_collect.get_hookimpls()
        plugins = [i.plugin for i in impls if not str(getattr(i.plugin, "__name__", type(i.plugin).__module__)).startswith("_pytest.")]
        homes = [getattr(p, "__file__", None) for p in plugins]
        return any([isinstance(h, str) and not h.endswith("/conftest.py") and ask("vouched", h) for h in homes])

    def look(config):
        known, option = ask("known"), config.option
        places, failed = known["places"], known["run"]["failed"]
        if known["selection"][0] or known["run"]["distributed"] or getattr(option, "lf", False) or getattr(option, "pyargs", False) or \
                getattr(option, "maxfail", 0) and failed or is_left_to_a_plugin(config):
            return
        plugins = [p for p in config.pluginmanager.get_plugins() if isinstance(getattr(p, "__file__", None), str)]
        conftests = [p for p in plugins if p.__file__.endswith("/conftest.py")]
        for path in sorted(had):
            full = repo + "/" + path
            if full in known["tried"] or not is_named(full, places["patterns"]) or real(full) in known["tried"] or in_environment(path, had) or \
                    not is_asked(full, places) or not has(before(full), places["starts"]):
                continue
            if not is_hit(full, places["ignored"], places["globs"]) and not leaves_out(full, conftests):
                ask("found", "test_replaced", "%s is a file of tests, and was not collected" % path)
    return types.SimpleNamespace(begin=begin, tried=tried, look=look)


def make_unittest_files(ask, repo, text_of, want):
    """look(tests that were loaded): tells of files of tests that unittest did not load, and of a load_tests() of a patch."""
    had, older, text, has, discovered, modules = want["had"], want["older"], text_of, has_tests, is_discovered, sys.modules
    words, up, module_type, before = statements_of, directories_of, types.ModuleType, make_before(ask, older, text_of)

    def look_at_loaders(homes):
        """Where a package has a load_tests(), unittest asks that and looks for nothing itself."""
        for file, module in homes:
            was, word = before(file, b""), "load_tests"
            is_its = b"load_tests" in was and (ask("vouched", file) or words(was, word) == words(text(file), word))
            if word in vars(module) and not is_its:
                ask("found", "test_replaced", "load_tests of %s is not of it, or of a patch" % file)

    def look(tests):
        failed = {getattr(t, "_testMethodName", "") for t in tests if type(t).__name__ in ("ModuleSkipped", "_FailedTest", "ModuleImportFailure")}
        homes = [(getattr(m, "__file__", None), m) for m in list(modules.values()) if type(m) is module_type]
        homes = [(f, m) for f, m in homes if isinstance(f, str) and f.startswith(repo + "/")]
        look_at_loaders(homes)
        loaded = {f for f, _ in homes}
        for path in sorted(p for p in had if p.endswith(".py") and discovered(p, had)):
            full, name = repo + "/" + path, path[:-3].replace("/", ".")
            is_failed = any([name == f or name.startswith(f + ".") for f in failed if f])
            is_left = any([b"load_tests" in before("%s/%s/__init__.py" % (repo, d), b"") for d in up(path)])
            if full not in loaded and not is_failed and not is_left and has(before(full)):
                ask("found", "test_replaced", "%s is a file of tests, and was not loaded" % path)
            elif full in loaded and ask("written", full):
                ask("found", "test_replaced", "%s is not as it was before the patches and the run" % full)
    return look
