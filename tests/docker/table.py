# SPDX-License-Identifier: Apache-2.0
"""The rows of the table: one short shell script each, run on csbx's `docker` and on Docker itself.

A module table_AREA.py has ROWS, a list made with these two:

    row(name, script, covers)                      csbx must do what Docker 20.10 does
    says(name, script, covers, out=, err=, rc=, why=)   csbx must do as written here, because ...

covers: the verbs and flags the row is about, comma-separated: "run --rm, ps -a". The script runs
under sh(1) as an ordinary user in an empty directory, with `docker` in PATH and these images:

    box     busybox, root, /bin/sh          app     this machine's python3 on top of it
    conf:1  ENTRYPOINT, CMD, ENV, WORKDIR, USER app, EXPOSE 8000, LABEL, STOPSIGNAL, VOLUME /data

$SIDE is "csbx" or "docker", for the few scripts that must arrange something differently. Exit
code, stdout and stderr are compared after normal.py took out ids, times and paths; of the text
that a row expects as well, so it may be copied from a terminal. A row need not clean up: every row gets a store of its
own in csbx, and the test removes what it leaves in Docker.
"""
import importlib
import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent


@dataclass
class Row:
    name: str
    script: str
    covers: tuple
    expect: tuple = None  # (rc, out, err), or None: whatever Docker answers
    why: str = ""
    rules: tuple = ()  # more (pattern, replacement) for both sides
    merged: bool = False  # stderr goes where stdout goes, in order
    area: str = field(default="", compare=False)

    @property
    def key(self):
        return f"{self.area}: {self.name}"


def words(covers):
    found = tuple(x.strip() for x in covers.split(",") if x.strip())
    assert found, "a row must say what it covers"
    return found


def row(name, script, covers, rules=(), merged=False):
    return Row(name, script.strip("\n"), words(covers), rules=tuple(rules), merged=merged)


def says(name, script, covers, *, why, rc=0, out="", err="", rules=(), merged=False):
    assert len(why) > 10, f"{name}: why does Docker not answer this row?"
    return Row(name, script.strip("\n"), words(covers), (rc, out, err), why, tuple(rules), merged)


def load():
    """All rows, in the order of their files."""
    rows = []
    for path in sorted(HERE.glob("table_*.py")):
        module = importlib.import_module(path.stem)
        for r in module.ROWS:
            r.area = path.stem.removeprefix("table_")
            rows.append(r)
    return rows


def shape(script):
    """The script with the names it chose made one: two rows of one shape test the same thing."""
    names = re.findall(r"--name[ =](\S+)", script)
    for n, name in enumerate(dict.fromkeys(names)):
        script = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", f"NAME{n}", script)
    return " ".join(script.split())


# Flags of which there are two names, by verb ("" any); all others count by the name they have here.
SAME = {"": {"--workdir": "-w", "--env": "-e", "--volume": "-v", "--detach": "-d", "--interactive": "-i",
             "--tty": "-t", "--publish": "-p", "-m": "--memory", "--all": "-a", "--quiet": "-q"},
        "run": {"-u": "--user", "-h": "--hostname", "-l": "--label", "--env-file": "-e"},
        "exec": {"--user": "-u"}, "ps": {"-f": "--filter"}, "images": {"-f": "--filter"},
        "inspect": {"--format": "-f"}, "version": {"-f": "--format"}, "info": {"-f": "--format"}}
SWITCHES = set("-d -i -t --rm --init --read-only --privileged -a -q --no-trunc -s -f".split())
GROUPS = ("container", "image", "volume", "network", "system")


def flags(verb, word):
    """-itd as the flags it is, --name=x as --name, each by its one name."""
    names = [word.split("=")[0]] if word.startswith("--") else \
        [f"-{c}" for c in word[1:]] if set(word[1:]) <= set("ditaq") else [word[:2]]
    same = {**SAME[""], **SAME.get(verb, {})}
    return [same.get(n, n) for n in names]


def used(script):
    """"run", "run --rm", ...: what the docker command lines of a script use, once each."""
    found = set()
    for line in re.split(r"[;|&\n(`]|\$\(", script):
        words = re.findall(r"[^\s'\"]+|'[^']*'|\"[^\"]*\"", line)
        while words and (words[0] in ("if", "then", "!", "do", "time") or "=" in words[0]):
            words.pop(0)
        if len(words) < 2 or words[0] != "docker":
            continue
        words.pop(0)
        verb = words.pop(0)
        if verb in GROUPS and words:
            verb = f"{verb} {words.pop(0)}"
        verb = {"container ls": "ps", "image ls": "images"}.get(verb, verb.removeprefix("container "))
        found.add(verb)
        value = False
        for word in words:
            if value or not word.startswith("-") or word in ("-", "--"):
                if not value and verb in ("run", "exec", "create"):
                    break  # what follows is the command's
                value = False
                continue
            found.update(f"{verb} {f}" for f in flags(verb, word))
            value = "=" not in word and flags(verb, word)[-1] not in SWITCHES and word != "-ti"
    # create takes what run takes.
    return found | {x.replace("create ", "run ") for x in found if x.startswith("create ")}
