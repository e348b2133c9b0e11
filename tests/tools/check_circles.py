#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check_circles BUILD: no file calls, over others, one that calls it; every test is one TAP line.

The objects of BUILD tell which file calls which (nm(1)). A circle that stays is a line of mk/circles: its files, and
why.
"""
import collections
import os
import re
import subprocess
import sys
from pathlib import Path

LISTED = "mk/circles"
ROOTS = ("runtime", "image", "cmd")


def symbols(build):
    """{file without its suffix: (what it defines, what it lacks)}"""
    objects = [p for root in ROOTS for p in sorted(Path(build, root).rglob("*.o"))]
    out = subprocess.run(["nm", "-A", "-P", "-g", *map(str, objects)], check=True, capture_output=True,
                         encoding="utf-8").stdout
    has, lacks = collections.defaultdict(set), collections.defaultdict(set)
    for line in out.splitlines():
        path, name, kind = re.match(r"(.*): (\S+) (\w)", line).groups()
        file = os.path.relpath(path, build).removesuffix(".o")
        (lacks if kind == "U" else has)[file].add(name)
    return has, lacks


def calls(has, lacks):
    """{file: files that it needs}; a name that several programs define belongs to none."""
    owners = collections.defaultdict(list)
    for file, names in has.items():
        for name in names:
            owners[name].append(file)
    return {file: {owners[n][0] for n in lacks[file] if len(owners[n]) == 1} - {file} for file in {*has, *lacks}}


def circles(graph):
    """The strongly connected components of more than one file (Tarjan), each sorted."""
    order, low, stack, found = {}, {}, [], []

    def visit(file):
        order[file] = low[file] = len(order)
        stack.append(file)
        for other in graph.get(file, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[file] = min(low[file], low[other])
        if low[file] == order[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for file in sorted(graph):
        if file not in order:
            visit(file)
    return sorted(found)


def listed(text):
    """The circles of mk/circles, and the lines that give no reason."""
    known, bare = [], []
    for line in text.splitlines():
        files, _, why = line.partition("#")
        if files.split():
            known.append(sorted(files.split()))
            bare += [] if why.strip() else [line]
    return known, bare


def main():
    results = []
    example = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set()}
    results.append(("a circle of three is seen, a line is not",
                    [] if circles(example) == [["a", "b", "c"]] else [str(circles(example))]))
    known, bare = listed(Path(LISTED).read_text(encoding="utf-8"))
    has, lacks = symbols(sys.argv[1])
    results.append(("the objects are there", [] if len(has) > 100 else [f"{len(has)} objects in {sys.argv[1]}"]))
    found = circles(calls(has, lacks))
    results.append(("no circle of files but those listed", [" ".join(c) for c in found if c not in known]))
    results.append((f"{LISTED} lists what there is, with a reason", [" ".join(c) for c in known if c not in found] + bare))
    for i, (name, problems) in enumerate(results, 1):
        print(f"{'not ok' if problems else 'ok'} {i} - {name}")
        for p in problems:
            print(f"# {p}")
    print(f"1..{len(results)}")
    return 1 if any(problems for _, problems in results) else 0


if __name__ == "__main__":
    sys.exit(main())
