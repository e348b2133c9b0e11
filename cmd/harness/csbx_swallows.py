# SPDX-License-Identifier: Apache-2.0
"""Says what may become of an exception in a context manager, or in a wrapper of a function, by the words of its definition."""
import ast
import builtins

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

WIDE = frozenset(("AssertionError", "Exception", "BaseException"))  # what a failed assertion is
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = FUNCTIONS + (ast.ClassDef,)
WITH = (ast.With, ast.AsyncWith)
TRY = tuple(getattr(ast, n) for n in ("Try", "TryStar") if hasattr(ast, n))
YIELD = (ast.Yield, ast.YieldFrom)
LEAVING = (ast.Return, ast.Break, ast.Continue)
ENDING = ("fail", "skip", "exit", "xfail", "reraise", "skipTest")  # functions that come back to none
EXITS = ("__exit__", "__aexit__")
MAKERS = ("contextmanager", "asynccontextmanager")
CATCHERS = ("suppress", "raises", "deprecated_call", "RaisesContext", "RaisesExc")  # context managers that take exceptions for those who ask


def dotted_of(node):
    """a.b.c of an expression, or of what it calls; "": it is something else."""
    node, parts = node.func if isinstance(node, ast.Call) else node, []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id] + parts[::-1]) if isinstance(node, ast.Name) else ""


def last_of(node):
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def within(nodes):
    """Nodes of statements, without those of functions and classes that they define."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, DEFINITIONS + (ast.Lambda,)):
            todo += ast.iter_child_nodes(node)


def names_in(node):
    return {last_of(n) for n in ast.walk(node)} - {""}


def is_wide(types):
    """True for what catches a failed assertion, by its name; [None]: it catches all."""
    return any(t is None or WIDE & names_in(t) for t in types)


def may_be(types, names):
    """True where one of the types is named so, or may be: a variable can hold any."""
    return any(t is None or any(n in names or not n[:1].isupper() or n.isupper() for n in names_in(t)) for t in types)


def raises(body):
    """True for statements that surely end by raising something."""
    last = body[-1] if body else None
    if any(isinstance(n, LEAVING) for n in within(body)):
        return False
    if isinstance(last, ast.If):
        return raises(last.body) and raises(last.orelse)
    if isinstance(last, WITH):
        return raises(last.body)
    if isinstance(last, TRY):
        return raises(last.finalbody) or raises(last.body) and all(raises(h.body) for h in last.handlers)
    return isinstance(last, ast.Raise) or isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and last_of(last.value) in ENDING


def catches(nodes, is_it, holds):
    """True where a statement around one that holds(node) takes an exception, and lets the program go on. is_it(types): about what is caught."""
    for node in [n for n in nodes if isinstance(n, TRY + WITH) and any(map(holds, within(n.body)))]:
        if isinstance(node, TRY):
            if any(is_it([h.type]) and not raises(h.body) for h in node.handlers) or any(isinstance(n, LEAVING) for n in within(node.finalbody)):
                return True
        elif any(is_catcher(i.context_expr) and is_it(i.context_expr.args) for i in node.items if isinstance(i.context_expr, ast.Call)):
            return True
    return False


def is_catcher(node):
    return last_of(node) in CATCHERS or last_of(node).startswith(("assertRaises", "suppress", "ignor"))


def is_yield(node):
    return isinstance(node, YIELD)


def yields(function):
    return any(map(is_yield, within(function.body)))


def truth_of(node):
    try:
        return bool(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError):
        return None


def answer_of(node, given):
    """What an expression says of a failed assertion: True, False, or None where that is open. given: names of what __exit__() is given."""
    if truth_of(node) is not None:
        return truth_of(node)
    if isinstance(node, ast.Name):
        return True if node.id in given else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = answer_of(node.operand, given)
        return None if inner is None else not inner
    if isinstance(node, ast.Call) and last_of(node) in ("isinstance", "issubclass") and len(node.args) == 2:
        return is_wide(node.args[1:])
    if isinstance(node, ast.Call) and last_of(node) == "bool" and len(node.args) == 1:
        return answer_of(node.args[0], given)
    if isinstance(node, ast.Compare) and names_in(node.left) & given:
        return compared(node)
    if isinstance(node, ast.BoolOp):
        parts, is_and = [answer_of(v, given) for v in node.values], isinstance(node.op, ast.And)
        return (False if False in parts else True if True in parts else None) if is_and else \
            (True if True in parts else None if None in parts else False)
    return None


def compared(node):
    """Of what __exit__() is given and is compared with a class, or with None."""
    is_same = isinstance(node.ops[0], (ast.Is, ast.Eq, ast.In))
    return is_same if is_wide(node.comparators[:1]) else not is_same


def returned(body, tests=()):
    """(expression that is returned, what was asked before)"""
    for node in body:
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value, tests
        elif isinstance(node, ast.If):
            yield from returned(node.body, (*tests, (node.test, True)))
            yield from returned(node.orelse, (*tests, (node.test, False)))
        elif not isinstance(node, DEFINITIONS):
            for name in ("body", "orelse", "finalbody", "handlers"):
                yield from returned([h for h in getattr(node, name, ()) if isinstance(h, ast.AST)], tests)


def is_exit_of_all(function):
    """True for an __exit__() that plainly swallows a failed assertion."""
    if isinstance(function, ast.Lambda):
        return answer_of(function.body, frozenset()) is True
    given = {a.arg for a in function.args.args[1:]} | ({function.args.vararg.arg} if function.args.vararg else set())
    known = {t.id: n.value for n in within(function.body) if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    for value, tests in returned(function.body):
        value = known.get(value.id, value) if isinstance(value, ast.Name) and value.id not in given else value
        if answer_of(value, given) is True and not any(answer_of(t, given) is (not wanted) for t, wanted in tests):
            return True
    return False


def exits_of(kind):
    """What a class has for its __exit__(): functions, or lambdas."""
    own = [n for n in kind.body if isinstance(n, FUNCTIONS) and n.name in EXITS]
    given = [n.value for n in kind.body if isinstance(n, ast.Assign) and any(getattr(t, "id", None) in EXITS for t in n.targets)]
    named = {n.id for n in given if isinstance(n, ast.Name)}
    return own + [g for g in given if isinstance(g, ast.Lambda)] + [n for n in kind.body if isinstance(n, FUNCTIONS) and n.name in named]


def may_swallow(node, names):
    """True where a definition has words by which an exception, whose class and bases are named so, may come to an end in it."""
    def is_it(types):
        return may_be(types, names)
    if isinstance(node, ast.ClassDef):
        return any(may_swallow(n, names) for n in exits_of(node))
    if isinstance(node, ast.Lambda):
        return truth_of(node.body) is not False
    if yields(node):
        return catches(within(node.body), is_it, is_yield)
    if node.name in EXITS:
        return any(truth_of(v) is not False for v, _ in returned(node.body))
    return catches(within(node.body), is_it, lambda n: isinstance(n, ast.Call))


def defined_in(tree, name):
    return [n for n in ast.walk(tree) if isinstance(n, DEFINITIONS) and n.name == name]
