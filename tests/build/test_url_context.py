# SPDX-License-Identifier: Apache-2.0
"""A context that a web server has: a tar, or a Dockerfile alone; git repositories are refused with the remedy."""
import io
import tarfile

import pytest


def tar_of(files, mode="w:gz"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as t:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            t.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def build(box, *args, stdin=None):
    p = box.run("docker", "build", "-t", "made", *args, stdin=stdin)
    return p.returncode, p.stderr


def cat(box, name):
    return box.ok("docker", "run", "--rm", "made", "cat", name)


@pytest.mark.both_users
def test_contexts(box, web):
    files = {"Dockerfile": "FROM box\nCOPY . /c/\n", "a": "one\n", "b": "two\n", "other/D": "FROM box\nCOPY a /o\n", ".dockerignore": "b\n"}
    web.files["/ctx.tar.gz"] = 200, {}, tar_of(files)
    web.files["/D"] = 200, {}, b"FROM box\nRUN echo alone >/o\n"
    web.files["/moved"] = 302, {"Location": "/ctx.tar.gz"}, b""
    for name in ("ctx.tar.gz", "moved"):
        code, said = build(box, f"{web.url}/{name}")
        assert code == 0, said
        assert box.ok("docker", "run", "--rm", "made", "sh", "-c", "ls /c; cat /c/a") == "Dockerfile\na\nother\none\n"
    assert build(box, "-f", "other/D", f"{web.url}/ctx.tar.gz")[0] == 0 and cat(box, "/o") == "one\n"
    assert build(box, "-f", "-", f"{web.url}/ctx.tar.gz", stdin="FROM box\nCOPY a /p\n")[0] == 0 and cat(box, "/p") == "one\n"
    assert build(box, f"{web.url}/D")[0] == 0 and cat(box, "/o") == "alone\n"


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_of_standard_input(box, mode):
    """A compressed tar was empty."""
    context = tar_of({"Dockerfile": "FROM box\nCOPY a /\n", "a": mode + "\n"}, mode)
    p = box.run("docker", "build", "-t", "made", "-", stdin=context, text=False)
    assert p.returncode == 0, p.stderr
    assert cat(box, "/a") == mode + "\n"


def test_refused(box, web):
    """One line each; without a network nothing is asked of the server."""
    web.files["/ctx.tar"] = 200, {}, tar_of({"../../out": "x"}, "w")
    for words, why in (((f"{web.url}/none",), "the server answers 404"),
                       ((f"{web.url}/ctx.tar",), "unpack the context"),
                       (("https://github.com/a/b.git#main",), "git clone it"),
                       (("git@github.com:a/b",), "git clone it"),
                       (("--network", "none", f"{web.url}/D"), "the build has no network")):
        web.asked.clear()
        code, said = build(box, *words)
        errors = [line for line in said.splitlines() if line.startswith("ERROR")]
        assert code == 1 and len(errors) == 1 and why in errors[0] and words[-1] in errors[0], said
        assert web.asked == ([] if len(words) > 1 or "git" in words[0] else [words[0][len(web.url):]])
    assert box.run("docker", "build", f"{web.url}/D", env={"CSBX_DOCKER_NETWORK": "none"}).returncode == 1
