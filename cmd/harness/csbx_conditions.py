# SPDX-License-Identifier: Apache-2.0
"""Works out the conditions of marks that ask for the platform, by the text of the tests' file.

Code that the file imports can change sys.platform before the decorators are called, and back when they were.
"""
import ast
import builtins
import operator
import os
import sys
import types

from csbx_texts import has_word, says, sets_item_of, tried_imports

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

CONDITIONAL = ("skipif", "xfail")
FACTS = (("sys", "platform", sys.platform), ("sys", "version_info", sys.version_info), ("sys", "maxsize", sys.maxsize),
         ("sys", "byteorder", sys.byteorder), ("os", "name", os.name))
COMPARED = types.MappingProxyType({
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
            ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b})


class Unknown(Exception):
    """It asks for something else."""


def fact(node):
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        for module, name, value in FACTS:
            if (module, name) == (node.value.id, node.attr):
                return value
    raise Unknown()


def part_of(value, at):
    """value[at], where `at` is written out."""
    at = at.value if type(at).__name__ == "Index" else at  # before Python 3.9
    if isinstance(at, ast.Slice):
        return value[slice(*[None if n is None else ast.literal_eval(n) for n in (at.lower, at.upper, at.step)])]
    return value[ast.literal_eval(at)]


def value_of(node):
    """The value of an expression of facts and constants."""
    if isinstance(node, ast.Compare):
        values, ops = [value_of(n) for n in [node.left] + node.comparators], [COMPARED.get(type(op)) for op in node.ops]
        if None in ops:
            raise Unknown()
        return all(op(*pair) for op, pair in zip(ops, zip(values, values[1:])))
    if isinstance(node, ast.BoolOp):
        return (all if isinstance(node.op, ast.And) else any)([value_of(n) for n in node.values])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not value_of(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "startswith":
        return str(fact(node.func.value)).startswith(*[value_of(n) for n in node.args])
    if isinstance(node, ast.Subscript):
        return part_of(fact(node.value), node.slice)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return fact(node)


def condition_of(decorator):
    """Whether the condition of a mark holds; None: it has none, or it cannot be told."""
    given = [k.value for k in decorator.keywords if k.arg == "condition"] + decorator.args if isinstance(decorator, ast.Call) else []
    try:
        value = value_of(given[0])
    except (Unknown, TypeError, ValueError, LookupError, SyntaxError, RecursionError):
        return None
    return None if isinstance(value, str) else bool(value)


def is_condition_of(mark, condition):
    return bool(mark.args[0] if mark.args else mark.kwargs.get("condition")) is condition


ENVIRONMENT, ENVIRON, PARTS_OF_ENVIRON = dict(os.environ), os.environ, dict(vars(os.environ))
IMPLEMENTATION = dict(vars(sys.implementation))
LOADED = frozenset(sys.modules)
WAYS_TO_SET = (b"setenv", b"environ.update", b"environ.setdefault", b"putenv", b"environ.pop", b"delenv", b"patch.dict")


def changed_environment(text, others):
    """Names of variables that a file (its text) names, and that have another value, where it has no words for setting one by that name,
    and no other file that names it has anything to do with the environment. others(): the texts of those."""
    now = dict(os.environ)
    for name in sorted(k for k in now.keys() | ENVIRONMENT.keys() if now.get(k) != ENVIRONMENT.get(k) and not k.startswith("PYTEST_")):
        has_name = has_word(text, name)
        is_set = has_name and (any(w in text for w in WAYS_TO_SET) or sets_item_of(text, "environ"))
        is_asked = has_name or (name == "PATH" and b"which" in text)
        if is_asked and not is_set and not any(has_word(t, name) and b"env" in t for t in others()):
            yield "the environment's " + name


def is_environment():
    """True while os.environ is the object that it was, and holds what it did: else it may say anything of a name that it does not list."""
    if os.environ is not ENVIRON:
        return False
    now = vars(ENVIRON)
    return len(now) == len(PARTS_OF_ENVIRON) and all([now.get(k) is v for k, v in PARTS_OF_ENVIRON.items()])


def is_text(value):
    return type(value) is str or (type(value) is tuple and all([type(v) is str for v in value]))


def remembers_wrongly(cache, ask):
    """True for a table of what was worked out, in which something else stands than comes out anew."""
    for key in list(cache):
        was = cache.pop(key)
        try:
            ask(key)
            if not is_text(was) or not is_text(cache.get(key)) or cache[key] != was:
                return True
        except Exception:  # of a key that is no version of a Python
            return True
        finally:
            cache[key] = was
    return False


def is_another_platform(platform):
    """What platform says of the machine and of Python, and what it remembers of that."""
    if (platform.system(), platform.machine()) != (os.uname().sysname, os.uname().machine):
        return True
    tables = ((getattr(platform, "_sys_version_cache", None), getattr(platform, "_sys_version", None)),
              (getattr(platform, "_platform_cache", None), lambda key: platform.platform(*key)))
    return any([type(table) is dict and ask is not None and remembers_wrongly(table, ask) for table, ask in tables])


def changed_objects(text, others):
    """Of os and sys: the environment itself, and what sys.implementation says."""
    asks = [w for w in (b"environ", b"getenv") if w in text]
    if asks and not is_environment() and not any(says(t, "environ") for t in [text] + others()):
        yield "os.environ"
    now = vars(sys.implementation)
    for name in [k for k, v in IMPLEMENTATION.items() if now.get(k) is not v] if b"implementation" in text else ():
        if not any(says(t, name) for t in [text] + others()):
            yield "sys.implementation." + name


def changed_surroundings(text, others, directory):
    """What a test may ask for before it skips itself: names of what its file names, and is no longer what it was."""
    found = list(changed_environment(text, others))
    found += list(changed_objects(text, others))
    found += ["the working directory"] if b"getcwd" in text and os.getcwd() != directory else []
    if b"sys.modules" in text:
        others_by_name = [n for n, m in list(sys.modules.items()) if type(n) is str and n not in LOADED and getattr(m, "__name__", n) != n]
        found += ["sys.modules, where %s is another" % n for n in others_by_name if has_word(text, n)]
        found += ["sys.modules, of which %s is gone" % n for n in LOADED - set(sys.modules) if has_word(text, n)]
    platform = sys.modules.get("platform")
    if platform is not None and b"platform." in text and is_another_platform(platform):
        found.append("platform")
    return found


def gone_modules(text, file, older):
    """Modules that a file of tests may do without, and that patches took away, or changed so that they cannot be imported. older: path -> text,
    before the patches."""
    if not older or b"sys.modules" in text:
        return
    places = [os.path.dirname(file)] + [p for p in list(sys.path) if type(p) is str]
    for name in sorted(tried_imports(text)):
        part = name.replace(".", "/")
        paths = [p for place in places for p in ("%s/%s.py" % (place, part), "%s/%s/__init__.py" % (place, part)) if p in older]
        if paths and (not os.path.lexists(paths[0]) or name not in sys.modules):
            yield "the module %s, which a patch %s" % (name, "changed" if os.path.lexists(paths[0]) else "took away")


MISSING = frozenset(n for n, m in list(sys.modules.items()) if m is None)


def hidden_modules():
    """Names of modules that are said not to be there, since: an import of one fails."""
    return [n for n, m in list(sys.modules.items()) if m is None and n not in MISSING]


def changed_facts():
    """Names of what is no longer what it was."""
    now = [("%s.%s" % (module, name), getattr(sys.modules.get(module), name, None), value) for module, name, value in FACTS]
    return [name for name, new, value in now if type(new) is not type(value) or new != value]  # a class of its own compares as it likes


def is_skipped_by(decorator):
    """Whether @unittest.skipIf() and the like skip; None: it cannot be told, or it is something else."""
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = getattr(name, "attr", getattr(name, "id", ""))
    if name in ("expectedFailure", "patch", "staticmethod", "classmethod"):
        return False
    condition = condition_of(decorator) if name in ("skipIf", "skipUnless") else None
    return condition if condition is None or name == "skipIf" else not condition


def conditions_of_skips(text, *names):
    """[whether it skips, or None] of the decorators of a class, and of a method of it, that a file has by these names."""
    try:
        nodes = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return [None]
    found = []
    for name in ".".join(names).split("."):
        inner = [n for n in nodes if isinstance(n, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and n.name == name]
        if len(inner) != 1:
            return found if name == names[-1] and not inner else [None]  # a base has it
        nodes = inner[0].body
        found += [is_skipped_by(d) for d in inner[0].decorator_list]
    return found
