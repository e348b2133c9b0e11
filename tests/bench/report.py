# SPDX-License-Identifier: Apache-2.0
"""Results as a table for people and as JSON for programs."""
import json
import os
import platform
import time

import measure

HEAD = ("", "what", "median ms", "p10 ms", "p95 ms", "spread", "ratio", "quartiles", "budget", "")
WIDTHS = (4, 44, 10, 8, 8, 6, 6, 13, 8, 6)


class Report:
    def __init__(self, quick):
        self.rows, self.notes = [], []
        self.load = [os.getloadavg()[0]]
        self.machine = {"kernel": platform.release(), "machine": platform.machine(),
                        "cpus": len(os.sched_getaffinity(0)), "quick": quick,
                        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}

    def samples(self, bench, samples, subject, budgets=None, only=None):
        """The subject and, for every other case, how the subject compares with it.

        budgets: case name -> the largest ratio subject/case that is asked for.
        """
        budgets = budgets or {}
        own = samples[subject]
        self._timed(bench, subject, own)
        for name, other in samples.items():
            if name == subject or (only and name not in only):
                continue
            value, low, high = measure.ratio(own, other)
            self._timed(bench, name, other, ratio=value, low=low, high=high,
                        budget=budgets.get(name), met=self._met(value, budgets.get(name)))

    def value(self, bench, what, value, unit, budget=None, at_least=False):
        """A number that is no ratio of times. at_least: the budget is a lower bound."""
        met = None if budget is None else (value >= budget if at_least else value <= budget)
        self._add({"bench": bench, "what": what, "value": value, "unit": unit, "budget": budget,
                   "at_least": at_least, "met": met})

    def left_out(self, bench, why):
        self._add({"bench": bench, "what": "left out", "why": why, "met": None})

    def failed(self, bench, why):
        self._add({"bench": bench, "what": "failed", "why": why, "met": False, "failed": True})

    @staticmethod
    def _met(value, budget):
        return None if budget is None else value <= budget

    def _timed(self, bench, what, s, **more):
        self._add({"bench": bench, "what": what, "median_ms": s.median_ms, "p95_ms": s.quantile_ms(0.95),
                   "p10_ms": s.quantile_ms(0.1), "spread": s.spread, "n": len(s.wall_ms), "cpu_ms": sum(s.cpu_ms) / len(s.cpu_ms),
                   **more})

    def _add(self, row):
        if not self.rows:
            self._print(HEAD)
        elif self.rows[-1]["bench"] != row["bench"]:
            print()
        self.rows.append(row)
        self._print(self._cells(row))

    @staticmethod
    def _print(cells):
        line = " ".join(f"{c:<{w}}" if i < 2 else f"{c:>{w}}" for i, (c, w) in
                        enumerate(zip(cells, WIDTHS)))
        print(line.rstrip(), flush=True)

    @staticmethod
    def _cells(row):
        verdict = {True: "met", False: "MISSED", None: ""}[row.get("met")]
        if "why" in row:
            return (row["bench"], f"{row['what']}: {row['why']}", *[""] * 8)
        if "unit" in row:
            sign = ">=" if row["at_least"] else "<="
            budget = "" if row["budget"] is None else f"{sign} {row['budget']:g}"
            value = row["value"] if isinstance(row["value"], int) else f"{row['value']:.2f}"
            return (row["bench"], row["what"], f"{value} {row['unit']}".strip(), "", "", "", "", "",
                    budget, verdict)
        ratio, quartiles, budget = "", "", ""
        if "ratio" in row:
            ratio, quartiles = f"{row['ratio']:.2f}", f"{row['low']:.2f}-{row['high']:.2f}"
            budget = "" if row["budget"] is None else f"<= {row['budget']:g}"
        return (row["bench"], row["what"], f"{row['median_ms']:.2f}", f"{row['p10_ms']:.2f}",
                f"{row['p95_ms']:.2f}", f"{row['spread'] * 100:.0f} %", ratio, quartiles, budget, verdict)

    def finish(self, notes, path):
        self.load.append(os.getloadavg()[0])
        self.machine["load_average"] = self.load
        self.notes = [*notes, f"load average {self.load[0]:.1f} before, {self.load[1]:.1f} after, on "
                              f"{self.machine['cpus']} CPUs: other work on the machine is in all figures"]
        print()
        for note in self.notes:
            print(f"note: {note}")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"machine": self.machine, "notes": self.notes, "rows": self.rows}, f, indent=1)
            f.write("\n")
        budgets = [row for row in self.rows if row.get("met") is not None and not row.get("failed")]
        failed = sum(1 for row in self.rows if row.get("failed"))
        print(f"\n{sum(row['met'] for row in budgets)} of {len(budgets)} budgets met"
              f"{f', {failed} benchmarks failed' if failed else ''}; details in {path}")
        return failed
