# SPDX-License-Identifier: Apache-2.0
# What tests take by the names that they use, and say no import for: statements of them from the snippet, and those of a prompt from what
# that has before its function. For check.py, which compiles it where there are such tests.
USED, BOUND, IN_SCOPE = 16, 2 | 128, 15  # flags of a symbol: Include/internal/pycore_symtable.h
WAYS_TO_IMPORT = "from solution", "import solution", "'solution'", '"solution"'
# That the code may have imported for the tests as well.
MODULES = frozenset("""math re itertools collections functools string heapq bisect random json datetime decimal fractions statistics operator
    sys os copy time cmath""".split())
BRING = "__import__('solution').__bring__(globals())"  # what csbx writes before the statements
WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
LEFT_OUT_MAX = 3  # lines of a head that belong to what comes behind it: decorators, `if True:`


def global_names(text):
    """Names that a text uses and does not bind: what is local to a function of it is none of them."""
    from _symtable import SCOPE_OFF, symtable
    used, bound, top = set(), set(), symtable(text, CHECK, "exec")
    todo = [top]
    while todo:
        table = todo.pop()
        todo += table.children
        for name, flags in table.symbols.items():
            if table is top or flags >> SCOPE_OFF & IN_SCOPE in (2, 3):
                used.update([name] if flags & USED else ())
                bound.update([name] if flags & BOUND else ())
    return used - bound


def times_written(text, name, how):
    """`Node(` or `Node().`: objects are made of it."""
    at, n = text.find(name + how), 0
    while at >= 0:
        n += at == 0 or text[at - 1] not in WORD
        at = text.find(name + how, at + 1)
    return n


def makes_objects(text, name, found, is_only):
    """
    csbx carries values, and knows nothing of such objects. A function that is to be judged is none of these, whatever the code makes of
    it: those are named in small letters, are the only one that the tests name, or are what is asserted of.
    """
    if not name[:1].isupper() or type(found) not in STANDING or name == (FUNCTION or "").partition(".")[0]:
        return False
    return times_written(text, name, "().") or not is_only and times_written(text, name, "(") > text.count("assert %s(" % name)


def bring(space):
    """
    The code is judged, so it has no say in what the tests have already: their own imports, and what Python has (a set() of its own would
    be asked whether set(f(x)) is set(y)). Such a name is taken where it is the only one: then it is the function that is to be judged. It
    is asked once more behind the tests' preparations, which may import all that another module has.
    """
    text = source_of(CHECK).decode("utf-8", "replace")
    known = CALLER.names()
    used = sorted(name for name in global_names(text) if name[:2] != "__")
    modules = [n for n in used if n in MODULES and n in known and times_written(text, n, ".") and not times_written(text, n, "(")]
    names = [name for name in used if known.get(name, "v")[:1] in tuple("faocei") and name not in modules]
    found = [name for name in names if name not in NOT_BROUGHT and (name not in space or is_of_snippet(space[name]))]
    has_others = FUNCTION or any([way in text.replace(BRING, "") for way in WAYS_TO_IMPORT])  # which the tests have by themselves
    found = found or names * (len(names) == 1 and not has_others)
    CALLER.has_its_names = True
    if used and not found:
        CALLER.value_of_name(used[0])  # so csbx knows that it is the snippet that lacks something
    for name in found:
        space[name] = getattr(sys.modules["solution"], name)
        if makes_objects(text, name, space[name], len(found) == 1):
            need("SUITE")
            cannot_run("it makes objects of %s, a class of the code, which cannot be judged" % name)
    for name in modules:
        if name not in space:
            space[name] = __import__(name)  # and not what the code has by that name


# --- prompts -------------------------------------------------------------------------------------------------------------------------


def head_of(text, first):
    """(code, names that it binds) of what a prompt has before it defines the name; a text in it may look as if it did."""
    from _symtable import symtable
    lines = text.lstrip("\ufeff").splitlines(True)
    ways = ["def %s(" % first, "async def %s(" % first, "class %s:" % first, "class %s(" % first]
    for at in [n for n, line in enumerate(lines) if line.lstrip().startswith(tuple(ways))][::-1]:
        for end in range(at, max(at - LEFT_OUT_MAX, 0), -1):
            head = "".join(lines[:end])
            try:
                symbols = symtable(head, CHECK, "exec").symbols
                return compile(head, CHECK, "exec", dont_inherit=True), {name for name, flags in symbols.items() if flags & BOUND}
            except (SyntaxError, ValueError):
                pass
    return None, set()


def take_prompt(space, text):
    """It is the tests' author's, and not what the snippet has by such a name."""
    first = FUNCTION.partition(".")[0]
    code, bound = head_of(text.decode("utf-8", "replace"), first)
    own = source_of(CHECK).decode("utf-8", "replace").partition("\n")[2]
    if code is not None and (b"import *" in text or not bound.isdisjoint(global_names(own))):
        kept = {name: space[name] for name in (first, "candidate") if name in space}
        exec(code, space)
        space.update(kept)
