# SPDX-License-Identifier: Apache-2.0
"""Timing through tests/bench/stopwatch.c, and what can be said of the samples."""
import statistics
from dataclasses import dataclass, field


class Failed(Exception):
    """A command under the stopwatch failed or printed something else than expected."""


@dataclass
class Case:
    """One command to time. `expect` None: its output is not compared."""
    name: str
    argv: list
    before: list = field(default_factory=list)
    after: list = field(default_factory=list)
    expect: str | None = ""
    root: str | None = None

    def lines(self):
        out = [f"case {self.name}"]
        if self.root:
            out.append(f"root {self.root}")
        if self.expect is None:
            out.append("any")
        else:
            out += [f"expect {line}" for line in self.expect.splitlines()]
        for key, argv in (("before", self.before), ("run", self.argv), ("after", self.after)):
            if argv:
                out += [key, *(f"arg {word}" for word in argv)]
        if any("\n" in line for line in out):
            raise ValueError(f"a newline in case {self.name}")
        return out


@dataclass
class Samples:
    """The measurements of one case, in the order of the rounds."""
    wall_ms: list
    cpu_ms: list
    faults: list
    maxrss_kb: list

    @property
    def median_ms(self):
        return statistics.median(self.wall_ms)

    def quantile_ms(self, q):
        ordered = sorted(self.wall_ms)
        return ordered[min(len(ordered) - 1, int(q * len(ordered)))]

    @property
    def spread(self):
        """Half the distance between the quartiles, as a share of the median."""
        return (self.quantile_ms(0.75) - self.quantile_ms(0.25)) / 2 / self.median_ms


def ratio(a, b):
    """Median of a over median of b, and the quartiles of the ratios of the single rounds."""
    pairs = sorted(x / y for x, y in zip(a.wall_ms, b.wall_ms))
    return (a.median_ms / b.median_ms, pairs[len(pairs) // 4], pairs[len(pairs) * 3 // 4])


def script(cases, rounds, warmup, batch=None):
    head = [f"rounds {rounds}", f"warmup {warmup}"]
    if batch:
        head.append("batch {} {}".format(*batch))
    return "\n".join(head + [line for case in cases for line in case.lines()]) + "\n"


def parse(cases, text):
    """Case name -> Samples from the stopwatch's lines."""
    rows = {i: [] for i in range(len(cases))}
    for line in text.splitlines():
        index, *numbers = map(int, line.split())
        rows[index].append(numbers)
    return {case.name: Samples([r[0] / 1e6 for r in rows[i]], [(r[1] + r[2]) / 1e3 for r in rows[i]],
                               [r[3] for r in rows[i]], [r[4] for r in rows[i]])
            for i, case in enumerate(cases)}


def merge(parts):
    """Samples of several measurements of the same cases, end to end."""
    out = {}
    for part in parts:
        for name, s in part.items():
            have = out.setdefault(name, Samples([], [], [], []))
            for key in ("wall_ms", "cpu_ms", "faults", "maxrss_kb"):
                getattr(have, key).extend(getattr(s, key))
    return out
