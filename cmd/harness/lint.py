# SPDX-License-Identifier: Apache-2.0
# Looks at the syntax tree of a snippet for what was asked not to be in it, in a container in which
# the snippet does not run: PROTOCOL.md. A lint, no boundary: it does not see computed names.
import ast
import re
import shlex

STARTS = {"os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
          "subprocess.Popen", "subprocess.getoutput", "subprocess.getstatusoutput", "os.execv", "os.execve", "os.execvp",
          "os.execvpe", "os.execl", "os.execle", "os.execlp", "os.execlpe", "os.posix_spawn", "os.posix_spawnp",
          "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "pty.spawn"}
IMPORTERS = ("__import__", "importlib.import_module")


def text_of(node):
    if type(node).__name__ == "Str":  # before Python 3.8
        return node.s
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id] + parts[::-1]) if isinstance(node, ast.Name) else None


class Lint(object):
    def __init__(self, deny_import, deny_call, allow_command):
        self.deny_import, self.deny_call, self.allow_command = deny_import, deny_call, allow_command
        self.names, self.found = {}, []

    def say(self, node, text):
        line = getattr(node, "lineno", 0)
        self.found.append((line, "line %d: %s" % (line, text)))

    def check_import(self, node, *names):
        for denied in self.deny_import:
            if denied == "*" or any(n == denied or n.startswith(denied + ".") for n in names):
                self.say(node, "imports %s, which is not allowed" % (names[0] if denied == "*" else denied))

    def visit_Import(self, node):
        for alias in node.names:
            self.check_import(node, alias.name)
            self.names[alias.asname or alias.name.partition(".")[0]] = alias.name if alias.asname else alias.name.partition(".")[0]

    def visit_ImportFrom(self, node):
        for alias in node.names:
            if node.level or not node.module:
                continue
            self.check_import(node, node.module, node.module + "." + alias.name)
            self.names[alias.asname or alias.name] = node.module + "." + alias.name

    def full_name(self, node):
        name = dotted(node)
        if name is None:
            return None
        first, dot, rest = name.partition(".")
        name = self.names.get(first, first) + dot + rest
        return name[len("builtins."):] if name.startswith("builtins.") else name

    def visit_Call(self, node):
        name = self.full_name(node.func)
        if name in self.deny_call:
            self.say(node, "calls %s, which is not allowed" % name)
        if name in IMPORTERS and self.deny_import:
            module = text_of(node.args[0]) if node.args else None
            if module is None:
                self.say(node, "imports what %s is told at run time, which cannot be checked" % name)
            else:
                self.check_import(node, module)
        if name in STARTS and self.allow_command is not None:
            self.check_command(node, name)

    def check_command(self, node, name):
        first = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in ("args", "cmd")), None)
        if isinstance(first, (ast.List, ast.Tuple)) and first.elts:
            words = [text_of(first.elts[0])]
        elif text_of(first) is None:
            words = [None]
        elif name.startswith(("os.exec", "os.posix_spawn", "pty.")) or name.endswith("_exec"):
            words = [text_of(first)]
        else:
            words = commands_of(text_of(first))
        for word in words:
            if word is None:
                self.say(node, "runs a command that is put together at run time, which cannot be checked")
            elif word.rpartition("/")[2] not in self.allow_command:
                self.say(node, "runs %s, which is not allowed" % word)


def commands_of(line):
    """The word of each command of a shell line; None where it cannot be told."""
    if re.search(r"[$`]", line):
        return [None]
    words = []
    for part in re.split(r"[;&|\n()]+", line):
        try:
            part = [w for w in shlex.split(part) if not re.match(r"\w+=", w)]
        except ValueError:
            return [None]
        words += part[:1]
    return words or [None]


def main():
    prepare()
    _, _, options = receive()
    with open(sys.argv[1], "rb") as f:
        source = f.read()
    sys.setrecursionlimit(10000)  # a long sum is a deep tree
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        send(b"D", 0)  # it will not run, and say why itself
        return
    lint = Lint(*options)
    # Imports first: a name may be used above the line that binds it.
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            lint.visit_Import(node)
        elif isinstance(node, ast.ImportFrom):
            lint.visit_ImportFrom(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            lint.visit_Call(node)
    if lint.found:
        send(b"V", 0, literal([text for _, text in sorted(lint.found)[:20]]))
    else:
        send(b"D", 0)


main()
