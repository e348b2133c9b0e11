# SPDX-License-Identifier: Apache-2.0
"""What may differ between two engines that behave alike: ids, times, paths, where help is found."""
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
    # Docker on a machine whose kernel lacks something.
    (r"^WARNING: (?:Your kernel|IPv4 forwarding|No swap|No blkio|No cpu|bridge-nf).*\n", "", re.M),
    # 20.10 says See '...', 28 says Run '...' after an empty line.
    (r"\n*^(?:See '(docker[ \w]*) --help'\.|Run '(docker[ \w]*) --help' for more information\.?)",
     r"\n<HELP \1\2>", re.M),
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
    for text in texts:
        text = text.replace("\r\n", "\n")
        for path, name in places:
            text = text.replace(str(path), name)
        text = ids(text, known)
        for pattern, replacement in (*RULES, *row.rules):
            text = re.sub(pattern, replacement, text)
        result.append(text)
    result[2] = result[2].strip("\n")  # of empty lines around a message engines have their own ideas
    return tuple(result)
