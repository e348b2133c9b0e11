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
    """`math.` or `math(`, of a name and no longer one."""
    at, n = text.find(name + how), 0
    while at >= 0:
        n += at == 0 or text[at - 1] not in WORD
        at = text.find(name + how, at + 1)
    return n


def children(node):
    found = [vars(node).get(field) for field in node._fields]
    return [each for item in found for each in (item if type(item) is list else [item]) if hasattr(each, "_fields")]


def all_of(tree):
    """The nodes of a text."""
    nodes = [tree]
    for node in nodes:
        nodes += children(node)
    return nodes


def kind_of_node(node):
    return type(node).__name__


def bound_otherwise(nodes):
    """Names that a text binds by words that are no expression, each as often as it does."""
    words = [vars(node).get(field) for node in nodes if kind_of_node(node) != "keyword" for field in ("name", "asname", "arg", "rest")]
    return [word.partition(".")[0] for word in words if type(word) is str]


def made_of_class(node, names, variables):
    """The name in `Node(1)`, or of what a variable is that has been made so; else None."""
    if kind_of_node(node) == "Name":
        return variables.get(node.id)
    if kind_of_node(node) == "Call" and kind_of_node(node.func) == "Name" and node.func.id in names:
        return node.func.id
    return None


def objects_of(nodes, names):
    """By name: variables that are what such a call returns wherever the text binds them."""
    calls, stored = {}, bound_otherwise(nodes)
    for node in nodes:
        if kind_of_node(node) == "Name" and kind_of_node(node.ctx) != "Load":
            stored.append(node.id)
        if kind_of_node(node) == "Assign" and len(node.targets) == 1 and kind_of_node(node.targets[0]) == "Name":
            calls.setdefault(node.targets[0].id, []).append(made_of_class(node.value, names, {}))
    return {name: found[0] for name, found in calls.items() if all(found) and len(found) == stored.count(name)}


OF_OTHERS = "send", "throw", "close", "_asdict", "_replace"  # of coroutines and named tuples


def is_of_told(name):
    """Whether a value that csbx can tell may have such an attribute."""
    need("MADE")
    if name in OF_OTHERS or any(hasattr(kind, name) for kind in list(BASES) + list(BUILT_IN_KINDS) + [Exception, type, Function]):
        return True
    return any(hasattr(of(*key.rpartition(".")[::2]), name) for key in LIBRARY if "_local" not in key)


def makes_objects(text, names):
    """
    The name of a class of the code that the tests make an object of, to do more with it than to hand it over: they set an attribute
    of it, or call a method that no value has. Nothing of that can be judged. The tests alone say so, whatever the code has by that name:
    it is named as a class is.
    """
    nodes = all_of(compile(text, CHECK, "exec", 0x400, True))  # PyCF_ONLY_AST
    variables = objects_of(nodes, names)
    for node in nodes:
        at = node.func if kind_of_node(node) == "Call" else node
        if kind_of_node(at) != "Attribute" or at is node and kind_of_node(at.ctx) == "Load":
            continue
        owner = at.value
        while at is node and kind_of_node(owner) == "Attribute":
            owner = owner.value
        name = made_of_class(owner, names, variables)
        if name is not None and (at is node or not is_of_told(at.attr)):
            return name
    return None


def refuse_objects(text, used, space):
    """Before a name is asked for. Preparations that are still to come may bring a class of a module's."""
    if not CALLER.has_its_names and "import *" in "".join(text.split(BRING)[1:-1]):
        return
    names = [name for name in used if name[:1].isupper() and name not in NOT_BROUGHT and name != (FUNCTION or "").partition(".")[0]]
    names = [name for name in names if name not in space or is_of_snippet(space[name])]
    found = makes_objects(text, frozenset(names)) if names else None
    if found is not None:
        need("SUITE")
        cannot_run("it makes objects of %s, a class of the code, which cannot be judged" % found)


def bring(space):
    """
    The code is judged, so it has no say in what the tests have already: their own imports, and what Python has (a set() of its own would
    be asked whether set(f(x)) is set(y)). Such a name is taken where it is the only one: then it is the function that is to be judged. It
    is asked once more behind the tests' preparations, which may import all that another module has.
    """
    text = source_of(CHECK).decode("utf-8", "replace")
    used = sorted(name for name in global_names(text) if name[:2] != "__")
    refuse_objects(text, used, space)
    known = CALLER.names()
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
        PROMPTED.update((name, space[name]) for name in bound if name not in kept and is_made_by(space, space.get(name), name))


def is_made_by(space, kind, name):
    return plain_isinstance(kind, type) and kind.__module__ == space["__name__"] and kind.__qualname__ == name


def class_of_prompt(path):
    """That of a prompt, which stands here under the name that the code has one by; None: there is none."""
    first, *rest = path.split(".")
    found = PROMPTED.get(first)
    if found is None or vars(sys.modules["__main__"]).get(first) is not found:
        return None
    for part in rest:
        found = own_space(found).get(part) if plain_isinstance(found, type) else None
    return found if plain_isinstance(found, type) else None


def is_prompted(kind):
    return plain_isinstance(kind, type) and class_of_prompt(type.__getattribute__(kind, "__qualname__")) is kind


def can_be_told(kind):
    """Of a prompt's class: what is of the code's class by that name can be made one of it."""
    need("MADE")
    need("KINDS")
    return is_enum(kind) or issubclass(kind, BaseException) or any(map(is_named_tuple, mro_of(kind)))


def refuse_prompted(name):
    CALLER.fail("%s of the prompt, which the code has as well, cannot be judged" % name)


def prompted_class(part):
    """For a class of the code: the prompt's by that name, where that is the same; None: the prompt has none of these."""
    keys, shown, refused = part[3:6]
    here = [class_of_prompt(key[1:]) if key[:1] == "=" else None for key in keys]
    if not any(here):
        return None
    found = here[0]
    if found is None or not can_be_told(found):
        refuse_prompted(part[1])
    own = class_parts(found)
    own_keys = tuple("=" + each.__qualname__ if is_prompted(each) else key_of(each) for each in mro_of(found))
    if (own[0], own_keys, own[4], own[5]) != (part[0], keys, shown, refused):
        refuse_prompted(part[1])
    return found


def prompted_value(kind, plain, state, member):
    """What is of such a class: the member of that name, if it has the same value, or a tuple with names."""
    if is_enum(kind):
        found = own_space(kind)["_member_map_"].get(member)
        value = None if found is None else found._value_
        is_known = found is not None and is_plain(value) and type(state.get("value")) is type(value) and state["value"] == value
        return found if is_known else refuse_prompted(name_of(kind))
    if state or type(plain) is not tuple or not issubclass(kind, tuple) or len(plain) != len(kind._fields):
        refuse_prompted(name_of(kind))
    return tuple.__new__(kind, plain)


def is_same_error(kind, told):
    if type(told) is str:
        return id(kind) in BUILT_IN_IDS and name_of(kind) == told
    bases = [base for base in bases_of(kind) if issubclass(base, BaseException)]
    if told[4] is True:
        return error_class(told, []) is kind
    if type(told[4]) is not str or class_of_prompt(told[4]) is not kind or class_told(kind)[5:] != told[5:]:
        return False
    return len(bases) == len(told[3]) and all(map(is_same_error, bases, told[3]))


def prompted_error(told):
    """As prompted_class(), of a class of exceptions."""
    found = class_of_prompt(told[4])
    if found is not None and not is_same_error(found, told):
        refuse_prompted(told[1])
    return found
