# SPDX-License-Identifier: Apache-2.0
"""tests/bench/plots.py: the picture holds the figures of the run, to scale, and says where they are from."""
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

PLOTS = Path(__file__).resolve().parents[1] / "bench/plots.py"
SVG = "{http://www.w3.org/2000/svg}"
MACHINE = {"kernel": "6.1", "cpus": 2, "time": "2026-01-02T03:04:05Z", "load_average": [0.5, 7.25]}
ROWS = [{"bench": "P1", "what": "csbx start", "median_ms": 4.0}, {"bench": "P1", "what": "bwrap <&>", "median_ms": 8.0},
        {"bench": "P4", "what": "64 at once, csbx", "value": 500.0, "unit": "/s"}, {"bench": "P4", "what": "over bwrap", "value": 1.2, "unit": ""},
        {"bench": "P18", "what": "csbx eval", "value": 271.0, "unit": "snippets/s"},
        {"bench": "P18", "what": "Manager's time over batch's", "value": 1.7, "unit": "x"},
        {"bench": "P19", "what": "left out", "why": "no docker"}]


def draw(where, run):
    (where / "bench.json").write_text(json.dumps(run))
    return subprocess.run([sys.executable, str(PLOTS), "bench.json", "out.svg"], cwd=where, capture_output=True, text=True, check=False)


def test_a_picture_of_a_run(tmp_path):
    p = draw(tmp_path, {"machine": MACHINE, "notes": [], "rows": ROWS})
    assert p.returncode == 0, p.stderr
    top = ET.parse(tmp_path / "out.svg").getroot()
    said = [t.text for t in top.iter(SVG + "text")]
    for words in ("csbx start", "4 ms", "bwrap <&>", "8 ms", "500 a second", "271 a second"):
        assert words in said
    assert not {"over bwrap", "left out", "Manager's time over batch's"} & set(said) and "0.5 before, 7.2 after" in said[-1] and "2 CPUs, Linux 6.1" in said[-1]
    bars = [(float(b.get("x")), float(b.get("y")), float(b.get("width")), float(b.get("height"))) for b in top.iter(SVG + "rect")]
    assert len(bars) == 4 and abs(bars[1][2] / bars[0][2] - 2) < 0.01
    assert all(x + w < float(top.get("width")) and y + h < float(top.get("height")) for x, y, w, h in bars)


def test_nothing_to_draw_is_said(tmp_path):
    p = draw(tmp_path, {"machine": MACHINE, "notes": [], "rows": ROWS[-1:]})
    assert p.returncode == 1 and "nothing to draw" in p.stderr and not (tmp_path / "out.svg").exists()


def test_the_picture_of_the_readme(tmp_path):
    """The script as it is draws it from the figures that it holds; README shows it."""
    picture = (PLOTS.parents[2] / "docs/bench.svg").read_text(encoding="utf-8")
    figures = json.loads(ET.fromstring(picture).find(SVG + "metadata").text)
    assert {"P1", "P4", "P18", "P19"} <= {row["bench"] for row in figures["rows"]}
    p = draw(tmp_path, figures)
    assert p.returncode == 0, p.stderr
    assert (tmp_path / "out.svg").read_text(encoding="utf-8") == picture, "make bench; make bench-plots PLOT=docs/bench.svg"
    assert "](docs/bench.svg)" in (PLOTS.parents[2] / "README.md").read_text(encoding="utf-8")
