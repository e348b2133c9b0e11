#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plots.py BENCH.JSON OUT.SVG: start times and rates of a run of the benchmarks, as bars.

Draws what was measured, and with it on which machine and beside how much other work: a picture without these says nothing.
The picture holds its figures as data, too: drawn again from these it is the same, byte for byte (tests/integration/test_bench_plots.py).
"""
import json
import sys
import xml.etree.ElementTree as ET
from html import escape

WIDTH, LEFT, BAR, GAP = 860, 330, 18, 6
OURS, THEIRS, TEXT = "#2f6f9f", "#b9c4cc", "#222"
PANELS = (("P1", "median_ms", "Start of `true`, median", "ms"), ("P2", "median_ms", "`python3 -c pass`, median", "ms"),
          ("P4", "value", "64 starts at once", "/s"), ("P18", "value", "Snippets judged, two at a time", "/s"),
          ("P19", "median_ms", "`docker run --rm` of `true`, median", "ms"))

WITH = {"P18": ("P18", "P18b")}  # benchmarks in one panel
UNITS = {"ms": ("ms",), "/s": ("/s", "snippets/s")}


def drawn_of(run):
    """Of a run what the picture needs."""
    keys = ("bench", "what", "median_ms", "value", "unit")
    rows = [{k: row[k] for k in keys if row.get(k) is not None} for row in run["rows"]
            if any(bars([row], bench, key, unit) for bench, key, _, unit in PANELS)]
    machine = {k: run["machine"].get(k) for k in ("kernel", "cpus", "time", "load_average", "from")}
    return {"machine": machine, "rows": rows}


def bars(rows, bench, key, unit):
    """(what, number) of each row that has one; a budget and a count of failures are no bars."""
    return [(row["what"], row[key]) for row in rows
            if row["bench"] in WITH.get(bench, (bench,)) and row.get(key) is not None and row.get("unit", unit) in UNITS[unit]]


def text(x, y, said, **how):
    more = "".join(f' {k.replace("_", "-")}="{v}"' for k, v in how.items())
    return f'<text x="{x}" y="{y}"{more}>{escape(said)}</text>'


def panel(y, title, unit, found):
    most = max(number for _, number in found) or 1
    made, y = [text(0, y + 16, title, font_weight="bold")], y + 28
    for what, number in found:
        length = max(1, number / most * (WIDTH - LEFT - 90))
        colour = OURS if "csbx" in what or "eval" in what else THEIRS
        made += [text(LEFT - 8, y + BAR - 5, what if len(what) < 52 else what[:50] + "...", text_anchor="end"),
                 f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{colour}"/>',
                 text(round(LEFT + length + 6, 1), y + BAR - 5, f"{number:.3g} {unit}" if unit != "/s" else f"{number:.0f} a second")]
        y += BAR + GAP
    return made, y + 12


def draw(run):
    made, y = [], 0
    for bench, key, title, unit in PANELS:
        found = bars(run["rows"], bench, key, unit)
        if found:
            more, y = panel(y, f"{bench}: {title}", unit, found)
            made += more
    if not made:
        sys.exit("plots.py: nothing to draw: of P1, P2, P4, P18 and P19 the run has no row")
    machine = run["machine"]
    load = machine.get("load_average") or [0]
    where = machine.get("from") or f"load average {load[0]:.1f} before, {load[-1]:.1f} after: other work is in all figures"
    made.append(text(0, y + 12, f"{machine['cpus']} CPUs, Linux {machine['kernel']}, {machine['time'][:10]}; {where}", font_size="11"))
    data = json.dumps(drawn_of(run), sort_keys=True)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 20}" viewBox="0 0 {WIDTH} {y + 20}" ' \
           f'font-family="sans-serif" font-size="13" fill="{TEXT}">'
    return "\n".join([head, f"<metadata>{escape(data)}</metadata>", *made, "</svg>", ""])


def figures_of(svg):
    """What a picture was drawn from."""
    return json.loads(ET.fromstring(svg).find("{http://www.w3.org/2000/svg}metadata").text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    with open(sys.argv[1], encoding="utf-8") as f:
        svg = draw(json.load(f))
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(svg)


if __name__ == "__main__":
    main()
