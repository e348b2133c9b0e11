#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Check the include rules of docs/architecture.md section 2; every test is one TAP line.

Checks which room may include which (mk/rooms), which third-party header belongs to which file, no third-party header in
a header of ours, every header compiles alone, no file beyond 600 lines, no room beyond 50 files. CHECK_CC: compiler and
flags.
"""
import collections
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
LINES_MAX = 600
FILES_MAX = 50
MAP_LINES_MAX = 150

ROOMS = "mk/rooms"
# Each folder of tests may include the code that it tests, and no tests but those named here.
TESTS = {
    "tests/slurm": ["tests/slurm", "tests/unit", "cmd"],
    "tests/unit": ["tests/unit", "runtime", "image", "cmd"],
    "tests/fuzz": ["tests/fuzz", "runtime", "image", "cmd"],
    "tests/bench": ["tests/bench"],
    "tests/tools": ["tests/tools", "runtime"],
    "tests/hostile": ["runtime"],
}

# Headers of one library -> files that may include them. "once" = any one .c file.
THIRD_PARTY = {
    r"archive(_entry)?\.h": "once",
    r"sqfs/.*": r"image/squash/(squash|file|comp|unsquash)\.c",
    r"squashfuse/.*|squashfuse\.h|ll\.h": "once",
    r"curl/.*": "once",
    r"libmount/.*": "once",
    r"fuse.*": "once",
    r"seccomp\.h": "once",
    r"openssl/.*": "once",
    # A stream; a block; frames that no writer of images makes.
    r"zstd.*\.h": r"image/bytes/decoder_zstd\.c|runtime/helpers/squashd/image/squnpack\.c|"
                   r"tests/unit/runtime/helpers/squashd/image/file\.c",
    r"zlib\.h": "once",
    r"lz4.*\.h|lzo/.*|isa-l.*|security/.*|sys/acl\.h": "once",
    r"systemd/.*": "once",
    r"slurm/.*": r"cmd/spank/(plugin\.c|task_command\.c|scope\.[ch])|tests/slurm/.*",
    r"cjson/.*|cJSON\.h": r"runtime/base/json/tree\.c",
}
# Headers that a front end has no business with: it fills a spec and formats a result.
NOT_IN_CMD = {"sys/mount.h", "linux/mount.h", "sched.h", "linux/sched.h", "linux/seccomp.h",
              "linux/landlock.h", "linux/openat2.h", "sys/prctl.h", "linux/fuse.h"}
# csbx-init, csbx-thaw and csbx-doze run without libc: they use headers of the compiler and the kernel, and no others.
INIT_HEADERS = re.compile(r"(linux|asm|asm-generic)/.*|std(arg|bool|def|int)\.h|limits\.h")


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def test(self, name, problems):
        self.count += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.count} - {name}")
        for p in problems:
            print(f"# {p}")

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def sources():
    for top in ("runtime", "image", "cmd", "tests"):
        for path in sorted(Path(top).rglob("*.[ch]")):
            yield path.as_posix()


def includes(path):
    for m in INCLUDE.finditer(Path(path).read_text(encoding="utf-8")):
        yield m[1] == '"', m[2]


def below(path, folders):
    return any(path == d or path.startswith(d + "/") for d in folders)


class Rooms:
    """The order of the rooms: each may include those above it."""

    def __init__(self, text):
        self.place, self.sees = {}, {}
        for line in text.splitlines():
            room, _, sees = line.partition("#")[0].partition("sees ")
            if room := room.strip():
                self.place[room] = len(self.place)
                self.sees[room] = sees.split() or None

    def problem(self, path, header):
        """Why the file may not include the header; None where it may."""
        room, theirs = os.path.dirname(path), os.path.dirname(header)
        if tests := [d for d in TESTS if below(path, [d])]:
            return None if below(header, TESTS[tests[0]]) else f"{tests[0]}/ does not see it"
        if room not in self.place:
            return f"{room}/ is no room of {ROOMS}"
        if theirs not in self.place:
            return f"{theirs}/ is no room of {ROOMS}"
        if self.place[theirs] > self.place[room]:
            return f"{ROOMS} has {theirs} behind {room}"
        if theirs != room and self.sees[room] and not below(theirs, self.sees[room]):
            return f"{room} sees {' '.join(self.sees[room])} alone"
        return None


def is_generated(header):
    return header.startswith("gen/") or not os.path.exists(header) and "/" not in header


def check_direction(rooms, path):
    bad = []
    for ours, header in includes(path):
        if not ours or is_generated(header):
            continue
        if not os.path.exists(header):
            bad.append(f'{path}: "{header}" does not exist')
        elif why := rooms.problem(path, header):
            bad.append(f'{path} must not include "{header}": {why}')
    return bad


def check_rooms_refuse(rooms):
    """The check itself: arrows that run back or out of a room's sight are refused, others are not."""
    bad = []
    for path, header, may in (
            ("runtime/kernel/x.c", "runtime/base/err.h", True),
            ("runtime/base/x.c", "runtime/kernel/cap.h", False),
            ("runtime/spec/x.c", "runtime/start/container.h", False),
            ("runtime/start/x.c", "image/model/digest.h", False),
            ("runtime/start/x.c", "runtime/helpers/init/abi/init_abi.h", True),
            ("runtime/start/x.c", "runtime/helpers/init/init.h", False),
            ("image/model/x.c", "image/source/source.h", False),
            ("image/source/x.c", "image/model/digest.h", True),
            ("image/source/x.c", "runtime/spec/spec.h", False),
            ("runtime/helpers/thaw/x.c", "runtime/base/err.h", False),
            ("cmd/docker/image/x.c", "cmd/docker/container/run_args.h", False),
            ("cmd/verb/x.c", "image/model/digest.h", True),
            ("cmd/spank/x.c", "cmd/frame/cmd.h", False),
            ("cmd/x.c", "cmd/frame/cmd.h", False),
            ("tests/bench/x.c", "runtime/base/err.h", False),
    ):
        if (rooms.problem(path, header) is None) != may:
            bad.append(f'{path} including "{header}" is {"refused" if may else "let through"}')
    return bad


def check_third_party(files):
    users = {pattern: set() for pattern in THIRD_PARTY}
    bad = []
    for path in files:
        for _, header in includes(path):
            for pattern, rule in THIRD_PARTY.items():
                if not re.fullmatch(pattern, header) or header.startswith("linux/"):
                    continue
                users[pattern].add(path)
                if path.endswith(".h"):
                    bad.append(f"{path}: a header of ours includes <{header}>")
                elif rule != "once" and not re.fullmatch(rule, path):
                    bad.append(f"{path}: <{header}> belongs in {rule} only")
    for pattern, rule in THIRD_PARTY.items():
        if rule == "once" and len(users[pattern]) > 1:
            bad.append(f"<{pattern}> is included by more than one file: {sorted(users[pattern])}")
    return bad


def check_squash_guards(files):
    """squashfuse and squashfs-tools-ng share include guards."""
    return [path for path in files
            if {"sqfs", "squashfuse"} <= {h.split("/")[0] for _, h in includes(path)}]


def check_cmd(files):
    return [f"{path}: <{h}>: front ends do not mount or clone" for path in files
            if path.startswith("cmd/") for _, h in includes(path) if h in NOT_IN_CMD]


def check_init(files):
    return [f"{path}: <{h}>: it has no libc" for path in files
            if path.startswith(("runtime/helpers/init/", "runtime/helpers/thaw/", "runtime/helpers/doze/")) for ours, h in includes(path)
            if not ours and not INIT_HEADERS.fullmatch(h)]


def is_named(room, page):
    """By its path, or by its last folder in the row of its front end or helper."""
    base, last = os.path.split(room)
    return any(f"`{room}`" in row or f"`{last}`" in row and base in row or f"`.../{last}`" in row
               for row in page.splitlines())


def check_heads(rooms, files):
    """One header of each room says what comes in, what goes out, what must be and what mustn't."""
    bad = []
    for room in rooms:
        headers = [f for f in files if os.path.dirname(f) == room and f.endswith(".h")]
        texts = [Path(h).read_text(encoding="utf-8") for h in headers]
        heads = [t for t in texts if f"The room {room}." in t]
        if headers and len(heads) != 1:
            bad.append(f"{room}: {len(heads)} headers begin with 'The room {room}.'; there is one main header")
        bad += [f"{room}: its main header has no '{word}'" for t in heads
                for word in ("In: ", "Out: ", "Must: ", "Mustn't: ") if word not in t]
    return bad


def check_crowds(files):
    count = collections.Counter(os.path.dirname(f) for f in files if not below(f, TESTS))
    return [f"{room}: {n} files; the limit is {FILES_MAX}" for room, n in count.items() if n > FILES_MAX]


def check_size(files):
    bad = []
    for path in files:
        n = Path(path).read_text(encoding="utf-8").count("\n")
        if n > LINES_MAX:
            bad.append(f"{path}: {n} lines; the limit is {LINES_MAX}")
    return bad


def check_words(files):
    """Calls that have no place in this code base."""
    bad = []
    words = re.compile(r"(?<![\w.>])(system|popen|strcpy|strcat|sprintf|gets|tmpnam|mktemp)\s*\(")
    for path in files:
        for n, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
            if m := words.search(re.sub(r'"(\\.|[^"\\])*"|/?\*.*|//.*', "", line)):
                bad.append(f"{path}:{n}: {m[1]}()")
    return bad


def compiles_alone(cc, header):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
        f.write(f'#include "{header}"\n#include "{header}"\n')
        f.flush()
        p = subprocess.run([*cc, "-fsyntax-only", f.name], capture_output=True, text=True, check=False)
        return p.stderr.strip().splitlines()[:3] if p.returncode else []


def main():
    cc = shlex.split(os.environ.get("CHECK_CC", "cc -I. -D_GNU_SOURCE -std=gnu11 -Wall -Wextra"))
    files = list(sources())
    tap = Tap()
    rooms = Rooms(Path(ROOMS).read_text(encoding="utf-8"))
    for room in [*rooms.place, *TESTS]:
        mine = [f for f in files if os.path.dirname(f) == room or room in TESTS and below(f, [room])]
        tap.test(f"{room}/ includes only what it may", sum((check_direction(rooms, f) for f in mine), []))
    tap.test("every source file has a room",
             [f for f in files if os.path.dirname(f) not in rooms.place and not below(f, TESTS)])
    tap.test("every room has a source",
             [r for r in rooms.place if not any(os.path.dirname(f) == r for f in files)])
    page = Path("docs/architecture.md").read_text(encoding="utf-8")
    tap.test("docs/architecture.md names every room", [r for r in rooms.place if not is_named(r, page)])
    tap.test("docs/architecture.md is a map, not a book",
             [f"{n} lines; the limit is {MAP_LINES_MAX}" for n in [page.count("\n")] if n > MAP_LINES_MAX])
    tap.test("an arrow that runs back is refused", check_rooms_refuse(rooms))
    tap.test("each room has a main header that says what it is", check_heads(rooms.place, files))
    tap.test("no room has more files than one can see", check_crowds(files))
    tap.test("third-party headers stay where they belong", check_third_party(files))
    tap.test("squashfuse and squashfs-tools-ng never meet in one file", check_squash_guards(files))
    tap.test("front ends neither mount nor clone", check_cmd(files))
    tap.test("csbx-init, csbx-thaw and csbx-doze use no libc", check_init(files))
    tap.test("no file is too long", check_size(files))
    tap.test("no call that is unsafe by design", check_words(files))
    headers = [f for f in files if f.endswith(".h")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda h: (h, compiles_alone(cc, h)), headers)
    tap.test(f"each of {len(headers)} headers compiles alone",
             [f"{h}: {line}" for h, lines in found for line in lines])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
