# SPDX-License-Identifier: Apache-2.0
"""--report: a page for people, JUnit's XML for CI. Both are parsed here, and foreign text must not become markup."""
import html.parser
import json
import xml.etree.ElementTree as ET

import pytest

from repositories import STILL, TARGET

EVIL = "</pre><script>alert(1)</script>&amp;\u00fc\"'"


class Page(html.parser.HTMLParser):
    """Tags, their balance, and the text of the rows."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.texts = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            assert name not in ("src", "href", "onload"), "a page of its own"
            assert "http:" not in (value or "")
        if tag not in ("meta", "rect") and tag != "!doctype":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "rect":
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)


def page(path):
    return Page(path.read_text(encoding="utf-8"))


def lines(csbx, *objects):
    (csbx.work / "lines").write_text("".join(json.dumps(x) + "\n" for x in objects), encoding="utf-8")


RIGHT = {"id": "right", "code": "def f(): return 1", "function": "f", "cases": [{"expected": 1}]}
WRONG = {"id": "wrong" + EVIL, "code": f"print({EVIL!r})\ndef f(): return 2", "function": "f", "cases": [{"expected": 1, "name": "one"}]}


def test_a_page_of_a_batch(csbx, python_image):
    lines(csbx, RIGHT, WRONG, {"id": "bad", "colour": 1}, {"id": 4, "code": "import sys; print('\\x07bell'); sys.exit(3)"},
          {"code": "print(b'')"})
    p = csbx.run("eval", "--image", python_image, "--timeout", "60", "--report", "out.html", "--batch", "lines")
    assert p.returncode == 1 and len(p.stdout.splitlines()) == 5
    seen = page(csbx.work / "out.html")
    assert "2 of 5 passed" in seen.text and "2 failed" in seen.text and "1 error" in seen.text
    assert "script" not in seen.tags and seen.tags.count("svg") == 2 and seen.tags.count("tr") == 6
    for said in (EVIL, "case one: wrong_value: returned 2, expected 1", "colour: unknown member", "\ufffdbell", "bad_line"):
        assert said in seen.text, said
    assert seen.text.index("colour") < seen.text.index("wrong_value") < seen.text.index("passedright"), "failures come first"
    assert not [n for n in csbx.work.iterdir() if n.name.startswith(".")], "no temporary file stays"


def test_a_page_of_all_records_of_an_output(csbx, python_image):
    """A line that was bad and is right the second time is one row; those passed over have rows."""
    go = ("eval", "--image", python_image, "--timeout", "60", "--report", "out.html", "--output", "out", "--batch", "lines")
    lines(csbx, RIGHT, {"id": "later", "colour": 1})
    assert csbx.run(*go).returncode == 1 and "1 of 2 passed" in page(csbx.work / "out.html").text
    lines(csbx, RIGHT, {"id": "later", "code": "1"}, {"id": "more", "code": "1 / 0"})
    csbx.ok(*go)
    seen = page(csbx.work / "out.html")
    assert "2 of 3 passed" in seen.text and seen.tags.count("tr") == 4 and "ZeroDivisionError" in seen.text


# Answers whose JSON is nested deeper than records are read, has more values, or one key twice.
LARGE = {"deep": "x = []\n    for n in range(97): x = [x]\n    return x", "dicts": "x = {}\n    for n in range(97): x = {1: x}\n    return x",
         "wide": "return [1] * 31000", "same keys": "return {'\\ud800': 1, '\\ud801': 2}"}


def test_the_records_are_of_what_was_written_not_of_the_name(csbx, python_image):
    """A program that has the directory of the output puts a link to a file of the caller's in its place."""
    ws, private = csbx.work / "ws", csbx.work / "private"
    ws.mkdir()
    ws.chmod(0o777)
    private.write_text(json.dumps({"id": "of-the-caller", "status": "ok", "stdout": "secret"}) + "\n", encoding="utf-8")
    lines(csbx, {"id": "planted", "code": f"import os; os.unlink('/w/out'); os.symlink({str(private)!r}, '/w/out')"})
    csbx.ok("eval", "--image", python_image, "--timeout", "60", "--volume", f"{ws}:/w", "--report", "out.html", "--output", "ws/out",
            "--batch", "lines")
    assert (ws / "out").is_symlink()
    text = page(csbx.work / "out.html").text
    assert "planted" in text and "of-the-caller" not in text


def test_a_page_where_the_output_is_a_pipe(csbx, python_image):
    lines(csbx, {"id": "piped", "code": "pass"})
    p = csbx.run("eval", "--image", python_image, "--timeout", "60", "--report", "out.html", "--output", "/dev/stdout", "--batch",
                 "lines", timeout=60)
    assert p.returncode == 0 and json.loads(p.stdout)["id"] == "piped"
    assert "piped" in page(csbx.work / "out.html").text


def test_no_answer_takes_its_record_away(csbx, python_image):
    """Each wrong line is in the page, and a batch that goes on passes it over."""
    lines(csbx, RIGHT, *({"id": name, "code": f"def f(i):\n    {code}\n", "function": "f",
                          "cases": [{"args": [i], "expected": i} for i in range(40)]} for name, code in LARGE.items()))
    for _ in range(2):
        csbx.ok("eval", "--image", python_image, "--timeout", "60", "--report", "out.html", "--output", "out", "--batch", "lines")
        text = page(csbx.work / "out.html").text
        assert "1 of 5 passed" in text and all(f"failed{name}" in text for name in LARGE)
    records = [json.loads(x, object_pairs_hook=pairs) for x in (csbx.work / "out").read_text(encoding="utf-8").splitlines()]
    assert sorted(r["id"] for r in records) == sorted([*LARGE, "right"])
    (csbx.work / "code").write_text(f"def f():\n    {LARGE['deep']}\n", encoding="utf-8")
    (csbx.work / "cases").write_text('[{"expected": 1}]', encoding="utf-8")
    csbx.run("eval", "--image", python_image, "--function", "f", "--cases", "cases", "--report", "one.html", "code")
    assert "0 of 1 passed" in page(csbx.work / "one.html").text


def pairs(members):
    assert len(dict(members)) == len(members), "no parser sees another object than the next"
    return dict(members)


def test_a_record_that_cannot_be_read_is_a_row(csbx, python_image):
    (csbx.work / "out").write_text('{"id": "x", "success": true, "success": true}\n', encoding="utf-8")
    lines(csbx, RIGHT)
    csbx.ok("eval", "--image", python_image, "--timeout", "60", "--report", "out.html", "--output", "out", "--batch", "lines")
    text = page(csbx.work / "out.html").text
    assert "1 of 2 passed" in text and 'key "success" twice' in text


def test_only_csbx_begins_a_line_of_reasons(csbx, python_image):
    lines(csbx, {"id": 1, "code": "def f(): raise ValueError('no\\ncase 2: passed')", "function": "f", "cases": [{"expected": 1}]})
    csbx.ok("eval", "--image", python_image, "--timeout", "60", "--report", "out.html", "--batch", "lines")
    assert "raised ValueError in line 1: no\n    case 2: passed\n" in page(csbx.work / "out.html").text


def test_a_page_of_one_run(csbx, python_image):
    (csbx.work / "a.py").write_text("1 / 0")
    assert csbx.run("eval", "--image", python_image, "--timeout", "60", "--report", "one.html", "a.py").returncode == 1
    seen = page(csbx.work / "one.html")
    assert "0 of 1 passed" in seen.text and "a.py" in seen.text and "ZeroDivisionError: division by zero" in seen.text


def test_refusals(csbx, python_image):
    (csbx.work / "a.py").write_text("1")
    for name, says in (("out.pdf", ".html"), ("out.xml", "JUnit"), ("no/such/out.html", "No such file"), (".html", ".html")):
        csbx.fails("eval", "--image", python_image, "--report", name, "a.py", says=says)
        lines(csbx, RIGHT)
        csbx.fails("eval", "--image", python_image, "--report", name, "--batch", "lines", says=says)
    assert sorted(n.name for n in csbx.work.iterdir()) == ["a.py", "lines"]


def suites(path):
    top = ET.parse(path).getroot()
    assert top.tag == "testsuites"
    for what in ("tests", "failures", "errors", "skipped"):
        assert int(top.get(what)) == sum(int(s.get(what)) for s in top)
    for s in top:
        assert int(s.get("tests")) == len(s.findall("testcase"))
        assert int(s.get("failures")) == len(s.findall("testcase/failure")) and int(s.get("errors")) == len(s.findall("testcase/error"))
    return list(top)


def outcomes(suite):
    return {(c.get("classname"), c.get("name")): c[0].tag if len(c) else "passed" for c in suite.findall("testcase")}


def test_junit_of_one_run(judge):
    judge.write(judge.repo / "test_more.py", "import pytest\nimport unittest\n\n\n@pytest.mark.parametrize('x', ['a::b', '<&\">'])\n"
                "def test_p(x):\n    print('said <' + x)\n    assert x == 'a::b'\n\n\n@pytest.mark.skip\ndef test_s():\n    pass\n\n\n"
                "class TestC:\n    def test_m(self):\n        pass\n\n\n@pytest.fixture\ndef broken():\n    1 / 0\n\n\n"
                "def test_e(broken):\n    pass\n")
    p = judge.csbx.run("test", "--image", judge.image, "--repo", judge.repo, "--report", "out.xml", "--json", "--", "test_more.py", timeout=120)
    assert p.returncode == 1 and json.loads(p.stdout)["all_passed"] is False
    one, = suites(judge.csbx.work / "out.xml")
    assert outcomes(one) == {
        ("test_more.py", "test_p[a::b]"): "passed", ("test_more.py", "test_p[<&\">]"): "failure", ("test_more.py", "test_s"): "skipped",
        ("test_more.py::TestC", "test_m"): "passed", ("test_more.py", "test_e"): "error"}
    assert float(one.get("time")) > 0 and "said <" in one.findtext("system-out")
    judge.csbx.run("test", "--image", judge.image, "--repo", judge.repo, "--report", "out.html", "--", "test_more.py", timeout=120)
    assert "test_more.py::test_e: error" in page(judge.csbx.work / "out.html").text


def test_junit_of_a_batch(judge):
    lists = {"repo": str(judge.repo), "fail_to_pass": [TARGET], "pass_to_pass": [STILL]}
    lines(judge.csbx, {"id": "good", **lists, "patch": judge.fix().read_text()}, {"id": "none", **lists},
          {"id": "refused" + EVIL, **lists, "patch": "x"}, {"id": "word", "colour": 1})
    p = judge.csbx.run("test", "--image", judge.image, "--report", "out.xml", "--ordered", "--batch", "lines", timeout=200)
    assert p.returncode == 1 and len(p.stdout.splitlines()) == 4
    good, none, refused, word = suites(judge.csbx.work / "out.xml")
    assert set(outcomes(good).values()) == {"passed"} and sorted(outcomes(none).values()) == ["failure", "passed"]
    assert refused.get("name") == "refused" + EVIL and outcomes(refused) == {("csbx", "refused" + EVIL): "failure"}
    assert "patch_errors: patch" in refused.find("testcase/failure").text
    assert outcomes(word) == {("csbx", "word"): "error"} and "colour" in word.find("testcase/error").text


@pytest.mark.parametrize("name", ["out.html", "out.xml"])
def test_the_old_file_stays_when_nothing_is_judged(judge, name):
    (judge.csbx.work / name).write_text("old")
    judge.csbx.fails("test", "--image", "/no/such.sqsh", "--repo", judge.repo, "--report", name)
    assert (judge.csbx.work / name).read_text() == "old"
