# SPDX-License-Identifier: Apache-2.0
"""The differences that two engines may have and still behave alike: ids, times, paths, and texts that changed between
Docker 20.10, which is asked, and 28, whose texts csbx has."""
import re

AGO = r"(?:Less than a second|About an? \w+|\d+ \w+)"
RULES = [(re.compile(p, flags), r) for p, r, flags in (
    # Points of time, and spans of it as `ps` says them.
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", "<TIME>", 0),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4} [A-Z]+", "<TIME>", 0),
    (rf"\b{AGO} ago\b", "<AGO>", 0),
    (rf"\bUp {AGO}\b", "Up <SPAN>", 0),
    # A table's columns are as wide as what stands in them.
    (r"[ \t]{2,}(?=\S)", "   ", 0),
    (r"[ \t]+$", "", re.M),
)]
TEXTS = [(re.compile(p, flags), r) for p, r, flags in (
    # Docker on a machine whose kernel lacks something.
    (r"^WARNING: (?:Your kernel|IPv4 forwarding|No swap|No blkio|No cpu|bridge-nf).*\n?", "", re.M),
    # 20.10: "docker x" requires ...; See 'docker x --help'.; usage and summary behind it.
    # 28: docker: 'docker x' requires ...; usage; Run 'docker x --help' for more information
    (r'^"(docker[^"\n]*)" (accepts|requires) ([^\n]*?)\.$', r"docker: '\1' \2 \3", re.M),
    (r"\.(?=\n+See 'docker)", "", 0),
    (r" requires exactly ", " requires ", 0),
    (r"\n*^Usage: +docker [^\n]*(?:\n\t[^\n]*)*(?:\n\n(?!Run '|See ')[A-Z][^\n]*\n*\Z)?", "", re.M),
    (r"\n*^(?:(?:See|Run) '(docker[ \w]*) --help'(?: for more information)?\.?)", r"\n<HELP \1>", re.M),
    (r"^time=\"[^\n]*error waiting for container[^\n]*\n?", "", re.M),
    (r"docker: Conflicting options: --restart and --rm\b",
     "docker: conflicting options: cannot specify both --restart and --rm", 0),
    (r"^(docker: Error response from daemon: [Uu]nable to find (?:user|group)[^\n]*?)\.?(?:\n+<HELP docker run>)?$",
     r"\1", re.M),
    (r"\.(?=\n+<HELP |\n*\Z)", "", 0),  # of answers kept before the rule above was there
    # The client's own words have become the daemon's.
    (r"^Error: No such container: ", "Error response from daemon: No such container: ", re.M),
    (r"^Error: No such image: (\S+)$", r"Error response from daemon: No such image: \1:latest", re.M),
    (r"^Error: No such volume: (\S+)$", r"Error response from daemon: get \1: no such volume", re.M),
    (r"^Error: No such network: (\S+)$", r"Error response from daemon: network \1 not found", re.M),
    (r"^exit status 1\n?", "", re.M),
    (r"\bContainer (<ID\d+>|\S+) is not running", r"container \1 is not running", 0),
    (r"\bCannot kill container: ", "cannot kill container: ", 0),
    (r"^docker: Invalid (hostPort|containerPort): ", r"docker: invalid \1: ", re.M),
    (r"repository name must be lowercase", "repository name (library/Imp) must be lowercase", 0),
    # containerd and runc say of what they were doing when it went wrong more or less.
    (r"failed to create (?:shim task|shim|task for container)(?:: failed to create (?:shim task|shim))*: ",
     "failed to create task: ", 0),
    (r"(?:container_linux\.go:\d+: )?(?:starting container process caused|unable to start container process)"
     r"(?:: error during container init)?: ", "unable to start container process: ", 0),
)]
HEX = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{12})\b")


def ids(text, known):
    """Each id becomes a number, in the order in which they are met; a short id that of its long one."""
    def number(match):
        found = match.group()
        n = known.setdefault(found[:12], len(known) + 1)
        return f"<ID{n}{'' if len(found) == 64 else ' short'}>"
    return HEX.sub(number, text)


def answer(row, answered, places=()):
    """(rc, out, err) as it is compared and recorded. places: (path, name) to be renamed."""
    rc, *texts = answered
    known, result = {}, [rc]
    for n, text in enumerate(texts):
        text = text.replace("\r\n", "\n")
        for path, name in places:
            text = text.replace(str(path), name)
        text = ids(text, known)
        for pattern, replacement in (*RULES, *(TEXTS if n or row.merged else ()), *row.rules):
            text = re.sub(pattern, replacement, text)
        result.append(text)
    result[2] = result[2].strip("\n")  # of empty lines around a message engines have their own ideas
    return tuple(result)
