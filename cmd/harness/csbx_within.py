# SPDX-License-Identifier: Apache-2.0
"""Tells where a wrapper of a test let the program go on though what it calls has raised something: the context managers of contextlib and
the patches of unittest.mock do so as decorators, and other wrappers by what they enter.

While a test is called, each function in its wrappers is called by way of a witness (csbx_witness.py), which the wrapper has for it in a
cell. The core notes which wrapper came back though the function did not (csbx_calls.py). That counts unless the wrapper, or a context
manager that it enters, had words for it before the patches.
"""
import ast
import builtins
import contextlib
import sys
import types

from csbx_swallows import EXITS, FUNCTIONS, WITH, defined_in, dotted_of, exits_of, last_of, may_swallow, within
from csbx_syntax import nodes_of, tree_of
from csbx_witness import COROUTINE, function_of, has_flag, make_witness

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

DEPTH_MAX = 16
MOCKS = ("/unittest/mock.py", "/mock/mock.py")
MANAGERS = ("_GeneratorContextManagerBase", "_GeneratorContextManager")
CONTEXTS = ("/contextlib.py", "/contextlib2.py", "/contextlib2/__init__.py")


def contents_of(function):
    """name -> (cell, content) of what a function closes over."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell, cell.cell_contents
        except ValueError:
            pass
    return found


def next_in(function, name):
    """What a wrapper has the function by that it wraps: the variable's name; None: there is no one such."""
    cells = contents_of(function)
    wrapped = vars(function).get("__wrapped__")
    those = [n for n, (_, v) in cells.items() if type(v) is types.FunctionType]
    found = [n for n in those if cells[n][1] is wrapped] or [n for n in those if cells[n][1].__name__ == name] or those
    return found[0] if len(found) == 1 else None


def definitions_by_line(text):
    """line of a function's first word, decorators included -> its definition."""
    try:
        nodes = nodes_of(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return {min([n.lineno] + [d.lineno for d in n.decorator_list]): n for n in nodes if isinstance(n, FUNCTIONS)}


def only_calls(node, name):
    """True for a function that does nothing with a variable but call it itself."""
    called = {id(n.func) for n in within(node.body) if isinstance(n, ast.Call)}
    return all(id(n) in called for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name) and n.id == name)


def make_levels(ask, repo, older, text_of, ends=()):
    """levels(test, function, name): has the functions in the wrappers of a test called by witnesses. Returns a function that ends that, and
    tells the core where a wrapper let a failure get lost; None where the test has no wrapper."""
    read, by_line, contents, following, calls_it, witnessed = text_of, definitions_by_line, contents_of, next_in, only_calls, make_witness(ask, ends)
    mocks, contexts, depth_max, exits, function_type = MOCKS, CONTEXTS, DEPTH_MAX, EXITS, types.FunctionType
    swallows, defined, parse, inner_nodes, with_nodes = may_swallow, defined_in, tree_of, within, WITH
    plain, module_type, strict, has, coroutine, name_of_call = \
        object.__getattribute__, types.ModuleType, function_of, has_flag, COROUTINE, dotted_of

    made_by_library = tuple([getattr(contextlib, n) for n in MANAGERS if hasattr(contextlib, n)])
    modules, last, exits_in, no_attribute = sys.modules, last_of, exits_of, AttributeError

    def node_at(file, line, known):
        if file not in known:
            known[file] = by_line(read(file))
        return known[file].get(line)

    def nodes_before(file, name, line, known):
        """Definitions that a file had by that name before the patches, or has in that line where no patch changed it."""
        if file in older:
            key = file, "before"
            if key not in known:
                try:
                    known[key] = parse(older[file])
                except (SyntaxError, ValueError, RecursionError):
                    known[key] = parse(b"")
            return defined(known[key], name)
        node = node_at(file, line, known) if not file.startswith(repo + "/") or ask("vouched", file) else None
        return [node] if node is not None else []

    def nodes_of_code(code, known):
        return nodes_before(code.co_filename, code.co_name, code.co_firstlineno, known)

    def is_of(function, files, name):
        code = function.__code__
        return code.co_name == name and code.co_filename.endswith(files) and "func" in code.co_freevars

    def is_known(function):
        """True for a wrapper of Python's own that surely calls what it wraps."""
        return is_of(function, mocks, "patched") or is_of(function, contexts, "inner")

    def is_passed(function, test, is_outermost):
        """False for code of a patch: what it calls cannot ask the core. Tells of one that is another than before, but of the outermost,
        which others see."""
        code = function.__code__
        if not is_outermost and not ask("vouched", code) and not ask("was_there", code):
            ask("found", "test_replaced", "a wrapper of %s is of %s" % (test, code.co_filename))
        return not ask("strangers", [code])

    def wrappers_of(function, name, known):
        """[(wrapper, cell, what is in it, all that the wrapper closes over)], from the outermost on."""
        found = []
        while type(function) is function_type and function.__closure__ and len(found) < depth_max and is_passed(function, name, not found):
            variable = "func" if is_known(function) else following(function, name)
            node = None if variable is None or is_known(function) else node_at(function.__code__.co_filename, function.__code__.co_firstlineno, known)
            if variable is None or not (is_known(function) or node is not None and calls_it(node, variable)):
                break
            cell, value = contents(function).get(variable, (None, None))
            found += [(function, cell, value, contents(function))] if cell is not None else []
            function = value
        return found

    def held(value):
        try:
            return plain(value, "__dict__")
        except no_attribute:
            return {}

    def value_of(expression, function, cells):
        """What a dotted name stands for in a function; None: that cannot be said."""
        first, *rest = (name_of_call(expression) or "?").split(".")
        value = cells[first][1] if first in cells else function.__globals__.get(first)
        for key in rest:
            spaces = [vars(value)] if type(value) is module_type else [held(value)]
            spaces += [vars(b) for b in (value if issubclass(type(value), type) else type(value)).__mro__]
            value = next((s[key] for s in spaces if key in s), None)
        return value

    def manager_may(value, names, known):
        """True where a context manager, or what makes one, had words that take such an exception."""
        if issubclass(type(value), made_by_library):
            value = vars(value).get("func")
        value = vars(value).get("__wrapped__", value) if type(value) is function_type else value
        if type(value) is function_type:
            return any([swallows(n, names) for n in nodes_of_code(value.__code__, known)])
        kind = value if issubclass(type(value), type) else type(value)
        makers = [vars(b)["_recreate_cm"] for b in kind.__mro__ if "_recreate_cm" in vars(b)]
        if makers and type(makers[0]) is function_type and not makers[0].__code__.co_filename.endswith(contexts):
            return nodes_of_code(makers[0].__code__, known) != []  # it makes any other
        return class_may(kind, names, known)

    def class_may(kind, names, known):
        for base in kind.__mro__:
            file = getattr(modules.get(base.__module__), "__file__", None)
            own = [strict(vars(base)[e]) for e in exits if e in vars(base)]
            if file in older:
                nodes = [n for n in nodes_before(file, base.__name__, 0, known) if hasattr(n, "bases")]
                is_as_was = nodes and {last(b) for b in nodes[0].bases} == {b.__name__ for b in base.__bases__} - {"object"}
                if not is_as_was or own or exits_in(nodes[0]):
                    return any([swallows(n, names) for n in nodes])
            elif own:
                return type(own[0]) is function_type and any([swallows(n, names) for n in nodes_of_code(own[0].__code__, known)])
        return False

    def may_lose(wrapper, cells, names, known):
        """True where a wrapper, or what it enters, had words before the patches that take what was raised."""
        if names is None or is_of(wrapper, mocks, "patched"):
            return False
        if is_of(wrapper, contexts, "inner"):
            return "self" not in cells or manager_may(cells["self"][1], names, known)
        for node in nodes_of_code(wrapper.__code__, known):
            managers = [i.context_expr for w in inner_nodes(node.body) if isinstance(w, with_nodes) for i in w.items]
            values = [value_of(m, wrapper, cells) for m in managers]
            if swallows(node, names) or any([v is None or manager_may(v, names, known) for v in values]):
                return True
        return False

    def levels(test, function, name):
        function = strict(function)
        if type(function) is not function_type or not function.__closure__:
            return None
        known = ask("known")["wrappers"]
        found = wrappers_of(function, name, known)
        if not found:
            return None
        surely = [is_known(w) and not has(v, coroutine) for w, _, v, _ in found]
        ask("levels", test, surely)
        for level, (_, cell, value, _) in enumerate(found, 1):
            cell.cell_contents = witnessed(test, value, level=level)

        def undo():
            for _, cell, value, _ in found:
                cell.cell_contents = value
            for level, names in ask("lost", test):
                wrapper, _, _, cells = found[level]
                if not may_lose(wrapper, cells, names, known):
                    ask("swallowed", test)
        return undo
    return levels
