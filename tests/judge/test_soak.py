# SPDX-License-Identifier: Apache-2.0
"""One batch of hostile snippets that goes on and on: a witness after each sees what the first one saw, and csbx grows by nothing.

SOAK_SECONDS says how long, 12 where it is not set. What was measured is written to SOAK_REPORT, if that is set.
"""
import json
import os
import random
import threading
import time

from lane_attacks import ATTACKS, LIBC, TIMES, WITNESS

SECONDS = int(os.environ.get("SOAK_SECONDS", "12"))
REPORT = os.environ.get("SOAK_REPORT")
# The image server keeps 4 MiB of blocks, the batch each id that it has had; lanes are opened and closed.
MAY_GROW = {"memory_kib": 5120, "descriptors": 4, "processes": 2}
ID_KIB = 0.1  # 60 to 70 bytes a line were measured: the id and its place in a table
OPTIONS = ("--lanes", "yes", "--pids-limit", "300", "--max-output-kill", "1m", "--memory", "128m", "--hostname", "judge", "-j", "2")


def lines(end_s):
    """A witness, an attack, a witness ... until it is time; every attack once before any comes again."""
    for n in range(4):
        yield {"id": f"fill {n}", "code": "pass"}  # before the batch has an interpreter to share
    yield {"id": "first", "code": WITNESS}
    n, names = 0, []
    while time.monotonic() < end_s:
        names = names or random.sample(sorted(ATTACKS), len(ATTACKS))
        name = names.pop()
        yield {"id": f"{n} {name}", "code": LIBC + ATTACKS[name][0], "timeout": TIMES.get(name, 20)}
        yield {"id": f"{n} after {name}", "code": WITNESS}
        n += 1


def feed(pipe, end_s):
    try:
        with pipe:
            for line in lines(end_s):
                pipe.write(json.dumps(line) + "\n")
    except BrokenPipeError:
        pass  # the batch has ended, which its exit code tells


def processes_below(pid):
    """Those of csbx; what runs in containers is among them where the caller sees it."""
    found, new = [], [pid]
    while new:
        found += new
        below = []
        for parent in new:
            try:
                with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as f:
                    below += [int(word) for word in f.read().split()]
            except OSError:
                pass
        new = below
    return found


def status_of(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as f:
            return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    except OSError:
        return {}


def look(pid, csbx):
    """What csbx holds: its processes, descriptors of the batch's own, files, memory of that and of the image server's."""
    below = processes_below(os.getpid())  # the image server has become a child of the tests
    states = [status_of(p) for p in below]
    memory = [int(s["RssAnon"].split()[0]) for p, s in zip(below, states) if p == pid or s.get("Name") == "csbx-squashd" and "RssAnon" in s]
    living = [s for s in states if s.get("State", "Z")[0] != "Z"]  # orphans that have ended wait for the tests
    return {"processes": len(living), "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "memory_kib": sum(memory),
            "files": sum(len(names) for _, _, names in os.walk(csbx.work))}


def seen_by(record):
    """Without the size of its pipes: the kernel makes small ones while the user's pipes, all together, are many."""
    assert record["success"], record
    return record["stdout"].splitlines()[0].replace("[null, 8192]", "[null, 65536]")


def test_nothing_grows(csbx, python_image):
    end_s = time.monotonic() + SECONDS
    looks, next_s, n, expected = [], 0, 0, None
    with open(csbx.work / "said", "w", encoding="utf-8") as said, \
            csbx.popen("eval", "--image", python_image, *OPTIONS, "--batch", "-", stdin=-1, stdout=-1, stderr=said, text=True) as p:
        feeder = threading.Thread(target=feed, args=(p.stdin, end_s))
        feeder.start()
        for text in p.stdout:
            record = json.loads(text)
            n += 1
            if record["id"] == "first":
                expected = seen_by(record)
            elif expected is not None and " after " in record["id"]:
                assert seen_by(record) == expected, record["id"]
            else:
                assert record["status"] not in ("sandbox_error", "launch_error", "bad_line"), record
            if expected and time.monotonic() > next_s:
                looks.append(look(p.pid, csbx))
                next_s = time.monotonic() + max(SECONDS / 1000, 0.1)
        feeder.join()
        code = p.wait()
    assert code in (0, 1), (csbx.work / "said").read_text(encoding="utf-8")
    third = len(looks) // 3
    assert n > 20 and third > 2, (n, looks)
    # Between two snippets: a snippet has processes of its own.
    least = {key: [min(x[key] for x in part) for part in (looks[:third], looks[-third:])] for key in looks[0]}
    if REPORT:
        with open(REPORT, "w", encoding="utf-8") as f:
            json.dump({"lines": n, "seconds": SECONDS, "least in the first and the last third": least, "looks": looks}, f)
    for key, (first, last) in least.items():
        assert last <= first + MAY_GROW.get(key, 0) + (n * ID_KIB if key == "memory_kib" else 0), least
