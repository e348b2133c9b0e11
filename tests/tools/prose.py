#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""prose.py [--wrap] FILE...: the lines of documents are short, and some words are not in them.

A line has 120 characters at most; tables, code, headings and addresses may be longer. --wrap breaks the lines of
paragraphs and list items that have a longer one, and changes nothing else.
"""
import re
import sys
import textwrap

MOST, WIDTH = 120, 118
ITEM = re.compile(r"(\s*)([-*]|\d+\.) +")
# A span of code stands on one line; a word that begins a list, a heading or a table begins no line.
CODE = re.compile(r"`[^`]*`")
BEGINS = re.compile(r"([-+*>|]|#+|\d+[.)])(\s|$)")
WORDS = re.compile(r"\b(nobody|whoever|whom)\b", re.IGNORECASE)


def blocks(lines):
    """(first, last, kind) of each paragraph and list item ("text"), and of all else ("kept")."""
    fenced, code, at = False, False, 0
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith("```"):
            fenced = not fenced
        code = line.startswith("    ") and (code or not at or not lines[at - 1].strip() or not lines[at - 1].startswith(("-", " ")))
        if fenced or code or not line.strip() or line.lstrip().startswith(("|", "#", "<", "```", ">", ".")):
            yield at, at + 1, "kept"
            at += 1
            continue
        end = at + 1
        while end < len(lines) and lines[end].strip() and not ITEM.match(lines[end]) and \
                not lines[end].lstrip().startswith(("|", "#", "```")):
            end += 1
        yield at, end, "text"
        at = end


def wrapped(text):
    item = ITEM.match(text[0])
    first = item.group(0) if item else re.match(r"\s*", text[0]).group(0)
    rest = " " * len(first)
    joined = " ".join(line.strip() for line in text)[len(first.lstrip()):]
    whole = CODE.sub(lambda m: m.group(0).replace(" ", "\0"), joined)
    for width in range(WIDTH, 80, -1):
        made = [line.replace("\0", " ") for line in textwrap.wrap(whole, width, initial_indent=first, subsequent_indent=rest,
                                                                   break_long_words=False, break_on_hyphens=False)]
        if not any(BEGINS.match(line.lstrip()) for line in made[1:]):
            return made
    return text


def wrap(text):
    lines, out = text.split("\n"), []
    for first, end, kind in blocks(lines):
        part = lines[first:end]
        out += wrapped(part) if kind == "text" and any(len(line) > MOST for line in part) else part
    return "\n".join(out)


def faults(path, text):
    lines = text.split("\n")
    for first, end, kind in blocks(lines):
        for number, line in enumerate(lines[first:end], first + 1):
            if kind == "text" and len(line) > MOST and len(max(line.split(), key=len)) < MOST // 2:
                yield f"{path}:{number}: {len(line)} characters, of {MOST} at most"
    for number, line in enumerate(lines, 1):
        found = WORDS.search(CODE.sub("", line))
        if found:
            yield f"{path}:{number}: '{found.group(0)}'"


def main():
    names = sys.argv[1:]
    change = names[:1] == ["--wrap"]
    said = []
    for name in names[change:]:
        with open(name, encoding="utf-8") as f:
            text = f.read()
        if change:
            with open(name, "w", encoding="utf-8") as f:
                f.write(wrap(text))
        else:
            said += faults(name, text)
    print("\n".join(said), end="\n" if said else "")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
