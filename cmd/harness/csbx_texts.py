# SPDX-License-Identifier: Apache-2.0
"""Says which names a file of tests binds, imports and assigns to, by its text."""
import ast
import builtins
import codecs
import dis
import errno
import hashlib
import os
import re
import sys
import types

from csbx_syntax import nodes_of, once, tree_and_nodes, tree_of

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

ENCODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
QUOTES = (b"'", b'"')
WAYS_TO_REPLACE = (b"setattr", b"setitem", b"patch", b"mock", b"replace", b"stub", b"swap", b"spy", b"__dict__", b"vars(", b"globals(", b".update(")
OF_CODE, DATA_BYTES = (".py", ".pyc"), 1 << 20  # what is larger, and no code, is looked for no words
WAYS_TO_ASK = ("importorskip", "find_spec", "import_module", "__import__")
OF_WORDS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
WAYS_TO_NAME = frozenset(("globals", "vars", "locals", "setattr", "exec", "__dict__", "modules", "import_module"))


def names_stored(code):
    """(global names that a module's code binds, whether it binds others by computing them, modules it takes all names of)"""
    found, computed, stars, imported, todo = set(), False, [], None, [(code, True)]
    while todo:
        one, is_top = todo.pop()
        for i in dis.get_instructions(one):
            if i.opname in ("STORE_NAME", "STORE_GLOBAL", "DELETE_NAME") and (is_top or i.opname != "STORE_NAME"):
                found.add(i.argval)
            imported = i.argval if i.opname == "IMPORT_NAME" else imported
            if i.opname == "IMPORT_STAR" or "IMPORT_STAR" in str(i.argrepr):
                stars.append(imported)
        computed = computed or bool(WAYS_TO_NAME & set(one.co_names))
        todo += [(c, False) for c in one.co_consts if isinstance(c, types.CodeType)]
    return found, computed or bool(stars), stars


def names_imported(text, name_of):
    """name -> [(module, attribute or None)] of what is bound by imports at the top of a module, and by nothing else.
    name_of(levels up, module): what a relative import means, or ""."""
    tree, nodes = tree_and_nodes(text)
    found, others, todo, has_globals = {}, set(), [tree], any([isinstance(n, ast.Global) for n in nodes])
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            for a in node.names:
                found.setdefault(a.asname or a.name.split(".")[0], []).append((a.name if a.asname else a.name.split(".")[0], None))
        elif isinstance(node, ast.ImportFrom):
            for a in node.names:
                module = name_of(node.level, node.module or "") if node.level else node.module
                found.setdefault(a.asname or a.name, []).append((module, a.name) if module else ("", ""))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            others.add(node.name)
            others.update(n for inner in (ast.walk(node) if has_globals else ()) if isinstance(inner, ast.Global) for n in inner.names)
            continue
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
        todo += ast.iter_child_nodes(node)
    return {name: sources for name, sources in found.items() if name not in others and ("", "") not in sources}


def bound_by_imports(text, name_of=lambda level, module: ""):
    try:
        return names_imported(text, name_of)
    except (SyntaxError, ValueError, RecursionError):
        return {}


def names_bound(text):
    """Names that a file binds by anything but an import, anywhere in it."""
    try:
        nodes = nodes_of(text)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    found = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    found.update(name for n in nodes if isinstance(n, ast.Global) for name in n.names)
    return found | {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}


def surely_imported(text):
    """Names that the statements of a module bind by imports, whatever happens: not those beneath `if` or `try`."""
    try:
        nodes = [n for n in tree_of(text).body if isinstance(n, (ast.Import, ast.ImportFrom))]
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {a.asname or a.name.split(".")[0] for n in nodes for a in n.names}


def bound_once(text):
    """([(dotted name, expression)] of the names that a module or a class in it binds once and to one thing, all nodes of the text)"""
    try:
        tree, nodes = tree_and_nodes(text)
    except (SyntaxError, ValueError, RecursionError):
        return [], []
    found, todo = [], [("", tree)]
    bound = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    others = {name for n in nodes if isinstance(n, ast.Global) for name in n.names}
    others.update((a.asname or a.name) for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names)
    others.update(n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)))
    while todo:
        prefix, space = todo.pop()
        todo += [(prefix + n.name + ".", n) for n in space.body if isinstance(n, ast.ClassDef)]
        for node in [n for n in space.body if isinstance(n, ast.Assign) and len(n.targets) == 1]:
            name = getattr(node.targets[0], "id", "__")
            if not (name.startswith("__") or name in others or "*" in others or bound.count(name) != 1):
                found.append((prefix + name, node.value))
    return found, nodes


def constants_of(text):
    """Dotted name -> value, of the names that a module or a class in it binds once, to a number, a text or a tuple of such."""
    found = {}
    for name, expression in once(bound_once, text)[0]:
        try:
            value = ast.literal_eval(expression)
            hash(value)
        except (ValueError, TypeError, MemoryError, RecursionError):
            continue
        found[name] = value
    return found


READ_ONLY = frozenset(("items", "keys", "values", "get", "index", "count", "copy"))
DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set)


def is_left_alone(name, nodes):
    """True where a file does nothing with a list that could write it: no method, no item, no other name, no call at its top."""
    inside = {id(n) for f in nodes if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef)) for n in ast.walk(f)}

    def is_it(node):
        return isinstance(node, ast.Name) and node.id == name
    for node in nodes:
        is_written = isinstance(node, ast.Subscript) and is_it(node.value) and not isinstance(node.ctx, ast.Load)
        is_asked = isinstance(node, ast.Attribute) and is_it(node.value) and node.attr not in READ_ONLY
        is_named = isinstance(node, ast.Assign) and is_it(node.value)
        is_given = isinstance(node, ast.Call) and any(map(is_it, node.args)) or isinstance(node, ast.For) and is_it(node.iter)
        if is_written or is_asked or is_named or (is_given and id(node) not in inside):
            return False
    return True


def displays_of(text):
    """Dotted name -> expression, of the names that a module or a class in it binds once, to a list, dict or set that is written out and
    that the file does not write to."""
    those, nodes = once(bound_once, text)
    those = [(name, e) for name, e in those if isinstance(e, DISPLAYS) and (e.keys if isinstance(e, ast.Dict) else e.elts)]
    return {name: e for name, e in those if is_left_alone(name.rpartition(".")[2], nodes)}


def is_as_written(node, value, names):
    """True where a value is what an expression writes out, as far as that can be told. No code of the value runs for that."""
    if isinstance(node, ast.Name):
        return node.id not in names or names[node.id] is value
    if isinstance(node, (ast.List, ast.Tuple)):
        if any(isinstance(n, ast.Starred) for n in node.elts):
            return True
        return type(value) is (list if isinstance(node, ast.List) else tuple) and len(value) == len(node.elts) and \
            all(is_as_written(n, v, names) for n, v in zip(node.elts, value))
    if isinstance(node, ast.Dict):
        if type(value) is not dict or None in node.keys:
            return None in node.keys
        if len(value) < len(node.keys):  # a key may be there twice
            return len(value) >= len({ast.dump(k) for k in node.keys if not isinstance(k, ast.Name)})
        return len(value) == len(node.keys) and all(is_as_written(n, v, names) for n, v in zip(node.keys + node.values, (*value, *value.values())))
    try:
        wanted = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return True
    return type(value) is type(wanted) and (len(value) == len(wanted) if type(value) is set else value == wanted)


def attributes_read(text):
    """{(name, attribute)} of what a file reads of things that it has names for."""
    try:
        nodes = nodes_of(text)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {(n.value.id, n.attr) for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}


def dotted_read(text):
    """a.b.c of all that a file reads by names and attributes alone."""
    try:
        nodes = nodes_of(text)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    found = set()
    for node in [n for n in nodes if isinstance(n, ast.Attribute)]:
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            found.add(".".join([node.id] + parts[::-1]))
    return found


def attributes_set(text):
    """Names of attributes that a file assigns to."""
    try:
        nodes = nodes_of(text)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {n.attr for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}


REFUSED = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM))  # the process has no descriptor, or no memory, for a file


def make_texts():
    """
    (text_of(path), note_texts(paths), is_same(descriptor, text)). A store by mmap() changes a file and neither of its times: what was
    noted is known by its text, as long as its ctime says that nothing has changed. A text that is another by then is none.
    """
    noted, stat, digest_of, open_file, error, refused = {}, os.fstat, hashlib.blake2b, open, OSError, REFUSED

    def is_same(fd, text):
        s = stat(fd)
        known = noted.get((s.st_dev, s.st_ino))
        return known is None or known[0] != s.st_ctime_ns or known[1] == digest_of(text).digest()

    def text_of(path):
        try:
            with open_file(path, "rb") as f:
                text = f.read()
                return text if is_same(f.fileno(), text) else b""
        except error as e:
            if e.errno in refused:
                raise  # the run has made it so: there is such a file
            return b""

    def note_texts(paths):
        for path in paths:
            try:
                with open_file(path, "rb") as f:
                    s = stat(f.fileno())
                    if s.st_size > DATA_BYTES and not path.endswith(OF_CODE):
                        continue
                    noted[s.st_dev, s.st_ino] = s.st_ctime_ns, digest_of(f.read()).digest()
            except error:
                pass
    return text_of, note_texts, is_same


text_of, note_texts, is_same_text = make_texts()


def is_put_at(text, at, end):
    """True where a name in a text stands as `.name =`, `.name"`, in a statement `global`, or as a text alone beside a word for replacing."""
    before, after = text[at - 1:at] if at else b"", text[end:end + 80]
    if before == b"." and (after[:1] in QUOTES or (after.lstrip(b" \t")[:1] == b"=" and after.lstrip(b" \t")[:2] != b"==")):
        return True
    if before in QUOTES and after[:1] in QUOTES:
        return any([w in text for w in WAYS_TO_REPLACE])
    line = text[text.rfind(b"\n", 0, at) + 1:(text.find(b"\n", end) + 1 or len(text) + 1) - 1].split(b"#")[0].split()
    return line[:1] == [b"global"] and text[at:end] in b" ".join(line).replace(b",", b" ").split()


def tried_imports(text):
    """The names of modules that a file may do without: it imports them within `try:`, or asks for them by a function."""
    try:
        tree, nodes = tree_and_nodes(text)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    found = set()
    for inner in [n for top in tree.body if isinstance(top, ast.Try) for n in top.body]:
        if isinstance(inner, ast.Import):
            found.update(a.name for a in inner.names)
        elif isinstance(inner, ast.ImportFrom) and not inner.level:
            found.add(inner.module)
            found.update(inner.module + "." + a.name for a in inner.names)
    for call in [n for n in nodes if isinstance(n, ast.Call) and n.args and getattr(n.func, "attr", getattr(n.func, "id", None)) in WAYS_TO_ASK]:
        name = getattr(call.args[0], "value", getattr(call.args[0], "s", None))
        found.update([name] if type(name) is str else ())
    return found


def says(text, name):
    """True when a file has words that replace an attribute or a global of that name. A text that has the name alone counts where the
    file has a word for replacing as well. Patterns would be looked for in a table that code of the run can write."""
    word = name.encode("utf-8", "replace")
    at = text.find(word)
    while at >= 0:
        if is_put_at(text, at, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False


def has_word(text, name):
    """True when a text has a name that is no part of another."""
    word = name.encode("utf-8", "replace")
    at = text.find(word)
    while at >= 0:
        beside = (text[at - 1:at] if at else b"") + text[at + len(word):at + len(word) + 1]
        if not any([c in OF_WORDS for c in beside]):
            return True
        at = text.find(word, at + 1)
    return False


def sets_item_of(text, name):
    """True when a line of a file has `name[...] =`."""
    word = name.encode("utf-8", "replace") + b"["
    at = text.find(word)
    while at >= 0:
        rest = text[at:(text.find(b"\n", at) + 1 or len(text) + 1) - 1].replace(b" ", b"").replace(b"==", b"")
        if b"]=" in rest or b"]+=" in rest or text[:at].rpartition(b"\n")[2].strip().startswith(b"del "):
            return True
        at = text.find(word, at + 1)
    return False


def keep_encodings(files):
    """Has Python know, from here on, by which codecs it reads these files, whatever is registered later. others() -> names
    of those whose modules hold something else by then."""
    held, names = [], set()
    for line in [l for f in files for l in text_of(f).split(b"\n", 2)[:2]]:
        named = ENCODING.match(line)
        try:
            name = codecs.lookup(named.group(1).decode("ascii", "replace")).name if named else None
        except LookupError:  # one of the repository's own
            continue
        module = sys.modules.get("encodings." + name.replace("-", "_")) if name else None
        if module is not None and name not in names:
            names.add(name)
            held.append((name, vars(module), tuple(vars(module).items())))
    held = tuple(held)  # which no code can empty that finds it

    def others():
        return [name for name, now, was in held if any(now.get(key) is not value for key, value in was)]
    return others
