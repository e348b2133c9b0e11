# SPDX-License-Identifier: Apache-2.0
"""csbx test --clone: a commit of a repository that a server on loopback has."""
import base64
import fcntl
import glob
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time

import pytest

import harness
from repositories import FIX, STILL, TARGET

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", "-c", "safe.directory=*",
       "-c", "protocol.file.allow=always"]


def git(repo, *words):
    p = subprocess.run([*GIT, *words], cwd=repo, capture_output=True, text=True, check=False)
    assert p.returncode == 0, p.stderr
    return p.stdout.strip()


@pytest.fixture
def upstream(judge):
    """The repository with the bug in its first commit, and without it in the last of three."""
    repo = judge.repo
    git(repo, "init", "-q", ".")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "with a bug")
    old = git(repo, "rev-parse", "HEAD")
    for text in (FIX + "\n# more\n", FIX):
        (repo / "calc.py").write_text(text)
        git(repo, "commit", "-qam", "without")
    return old, git(repo, "rev-parse", "HEAD")


def clone(judge, url, commit, *options, code=0, args=()):
    p = judge.csbx.run("test", "--image", judge.image, "--clone", url, "--commit", commit, "--fail-to-pass", TARGET,
                       "--pass-to-pass", STILL, *options, "--", *args, timeout=120)
    assert p.returncode == code, (p.returncode, p.stdout, p.stderr)
    return p


def check_all(judge, url, upstream):
    """The newest commit, then one before what is there, then both again without the server."""
    old, new = upstream
    clone(judge, url, new)
    clone(judge, url, old, code=1)
    clone(judge, url, old, "--patch", judge.fix())


def test_a_file_url(judge, upstream):
    check_all(judge, f"file://{judge.repo}", upstream)
    check_all(judge, str(judge.repo), upstream)
    judge.repo.rename(judge.csbx.work / "away")
    clone(judge, f"file://{judge.repo}", upstream[0], code=1)  # the cache has it
    judge.csbx.fails("test", "--image", judge.image, "--clone", f"file://{judge.repo}", "--commit", "0" * 40,
                     says="fetch file://")


def test_a_git_server(judge, upstream, csbx):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    p = subprocess.Popen(["git", "-c", "safe.directory=*", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}",
                          "--export-all", f"--base-path={csbx.work}", str(csbx.work)], stderr=subprocess.DEVNULL, **csbx.identity())
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 5).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        check_all(judge, f"git://127.0.0.1:{port}/repo", upstream)
    finally:
        p.terminate()
        p.wait(30)


def test_a_plain_http_server(judge, upstream, csbx):
    """It knows no shallow fetch: all of the repository is fetched."""
    git(judge.repo, "update-server-info")
    root = str(csbx.work)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **kw):
            super().__init__(*args, directory=root, **kw)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        check_all(judge, f"http://127.0.0.1:{server.server_port}/repo/.git", upstream)
        p = csbx.run("test", "--image", judge.image, "--clone", f"http://127.0.0.1:{server.server_port}/none", "--commit",
                     upstream[0], timeout=120)
        assert p.returncode == 125 and "/none" in p.stderr
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_nothing_of_it_runs_on_the_host(judge, upstream, csbx):
    """Hooks, filters, fsmonitor and submodules of a repository that wants to be cloned."""
    mark = csbx.work / "ran"
    repo = judge.repo
    (repo / ".gitattributes").write_text("*.py filter=evil\n")
    (repo / ".gitmodules").write_text(f'[submodule "x"]\n\tpath = x\n\turl = ext::touch {mark}\n')
    git(repo, "add", "-A")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{upstream[0]},x")
    git(repo, "commit", "-qm", "evil")
    head = git(repo, "rev-parse", "HEAD")
    for name in ("post-checkout", "pre-receive", "reference-transaction", "post-index-change"):
        hook = repo / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    home = csbx.dirs["home"] / ".gitconfig"
    home.write_text(f'[core]\n\tfsmonitor = touch {mark}\n\thooksPath = {repo}/.git/hooks\n'
                    f'[filter "evil"]\n\tsmudge = touch {mark}; cat\n[fetch]\n\trecurseSubmodules = yes\n'
                    f'[url "ext::touch {mark}"]\n\tinsteadOf = file://\n[credential]\n\thelper = "!touch {mark}"\n')
    home.chmod(0o644)
    clone(judge, f"file://{repo}", head)
    assert not mark.exists()


def test_a_git_that_was_killed(judge, upstream, csbx):
    """The lock files that a killed git leaves do not keep the next one from fetching."""
    old, new = upstream
    clone(judge, judge.repo.as_uri(), new)
    repo = next((csbx.dirs["cache"] / "repos").glob("*.git"))
    for name in ("config.lock", "shallow.lock", "HEAD.lock"):
        judge.write(repo / name, "")
    clone(judge, judge.repo.as_uri(), old, code=1)


SECRET, ENCODED = "p@ss:w0rd/", "p%40ss:w0rd%2F"


@pytest.fixture
def guarded(judge, upstream):
    """The repository where a password is asked for; .said: what the process list showed of it meanwhile."""
    git(judge.repo, "update-server-info")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **kw):
            super().__init__(*args, directory=judge.csbx.work, **kw)

        def log_message(self, *args):
            pass

        def do_GET(self):
            for path in glob.glob("/proc/[0-9]*/cmdline"):
                try:
                    with open(path, "rb") as f:
                        words = f.read().decode(errors="replace")
                except OSError:
                    continue
                if SECRET in words or ENCODED in words:
                    server.said.append(words)
            want = "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()
            if self.headers["Authorization"] == want:
                super().do_GET()
                return
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.said = []
    server.place = f"127.0.0.1:{server.server_port}/repo/.git"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_nobody_sees_the_password(judge, upstream, guarded):
    """Not the process list, not a message, not a result, not the cache; and no other server gets it."""
    csbx = judge.csbx
    clone(judge, f"http://me:{ENCODED}@{guarded.place}", upstream[1])
    assert not guarded.said
    clone(judge, f"http://{guarded.place}", upstream[1])  # the cache has it, under the name without
    assert [r["url"] for r in json.loads(csbx.ok("cache", "ls", "--json"))["repositories"]] == [f"http://{guarded.place}"]
    for url in (f"http://me:{ENCODED}wrong@{guarded.place}", f"http://{ENCODED}@{guarded.place}/none",
                f"http://me:{ENCODED}@127.0.0.1:1/x"):
        line = csbx.work / "batch.jsonl"
        line.write_text(json.dumps({"id": "a", "clone": url, "commit": "0" * 40}))
        for args in (["--json", "--clone", url, "--commit", "0" * 40], ["--batch", str(line)]):
            p = csbx.run("test", "--image", judge.image, *args, timeout=120)
            said = p.stdout + p.stderr
            assert "git: " in said and "resolved\": true" not in said, said
            assert not any(x in said for x in (SECRET, ENCODED, "p@ss", "p%40ss", "w0rd")), said
    assert not any("w0rd" in name for name in harness.list_tree(csbx.dirs["cache"]))
    assert not guarded.said
    p = csbx.run("test", "--image", judge.image, "--clone", f"http://a%0ab@{guarded.place}", "--commit", "0" * 40)
    assert p.returncode == 125 and "control character" in p.stderr


def break_config(repo):
    (repo / "config").write_text("[core\nwhat?")


def break_head(repo):
    (repo / "HEAD").write_bytes(b"\0" * 20)


def lose_objects(repo):
    shutil.rmtree(repo / "objects")
    (repo / "objects").write_text("")


def cut_objects(repo):
    for path in (repo / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(path.read_bytes()[:10])


@pytest.mark.parametrize("damage", [break_config, break_head, lose_objects, cut_objects])
def test_a_damaged_cache_is_made_anew(judge, upstream, damage):
    old, new = upstream
    url = judge.repo.as_uri()
    clone(judge, url, new)
    repo = next((judge.csbx.dirs["cache"] / "repos").glob("*.git"))
    damage(repo)
    clone(judge, url, old, code=1)
    clone(judge, url, new)
    assert not list((judge.csbx.dirs["cache"] / "repos").glob("*.new"))
    damage(repo)
    judge.repo.rename(judge.csbx.work / "away")
    judge.csbx.fails("test", "--image", judge.image, "--clone", url, "--commit", "0" * 40, says="does not")
    assert repo.exists()


def test_files_that_a_damaged_cache_has_lost(judge, upstream):
    """The commit is there: only the container finds what is missing. It says what to do."""
    url = judge.repo.as_uri()
    blob = git(judge.repo, "rev-parse", f"{upstream[1]}:calc.py")
    clone(judge, url, upstream[1])
    repo = next((judge.csbx.dirs["cache"] / "repos").glob("*.git"))
    pack = list((repo / "objects/pack").glob("*.pack"))
    for path in pack:  # as objects of their own, so that one can go
        path.rename(repo / "pack")
        with open(repo / "pack", "rb") as f:
            subprocess.run([*GIT, "--git-dir", repo, "unpack-objects", "-q"], stdin=f, check=True)
    (repo / "objects" / blob[:2] / blob[2:]).unlink()
    p = clone(judge, url, upstream[1], code=125)
    assert f"remove {repo}" in p.stderr, p.stderr
    shutil.rmtree(repo)
    clone(judge, url, upstream[1])


def test_git_ends_with_csbx(judge, csbx):
    with socket.create_server(("127.0.0.1", 0)) as server:
        p = csbx.popen("test", "--image", judge.image, "--clone", f"http://127.0.0.1:{server.getsockname()[1]}/x",
                       "--commit", "0" * 40)
        server.settimeout(60)
        connection = server.accept()[0]  # git asks, and gets no answer
        with connection:
            p.kill()
            p.communicate()
            connection.settimeout(30)  # by itself it would give up after 60
            while connection.recv(65536):  # until it is gone
                pass


@pytest.mark.parametrize("url, commit, says", [
    ("ext::sh -c id", "0" * 40, "--clone"), ("ssh://host/x", "0" * 40, "--clone"), ("-x", "0" * 40, "--clone"),
    ("https://x/ y", "0" * 40, "--clone"), ("host:x", "0" * 40, "--clone"), ("https://x/y", "main", "--commit"),
    ("https://x/y", "--upload-pack=x", "--commit"), ("https://x/" + "y" * 300, "0" * 40, "too long")])
def test_what_is_refused(judge, url, commit, says):
    judge.csbx.fails("test", "--image", judge.image, f"--clone={url}", f"--commit={commit}", says=says)


def test_an_image_without_git(judge, upstream, patch_image):
    p = judge.csbx.run("test", "--image", patch_image, "--clone", str(judge.repo), "--commit", upstream[1], "--json")
    assert p.returncode == 125 and '"no_git"' in p.stdout


def test_the_cache_is_shown_and_pruned(judge, upstream):
    """The cache shows a repository that --clone fetched with its size, and prunes it when it is old and no process uses
    it."""
    csbx, url = judge.csbx, judge.repo.as_uri()
    clone(judge, url, upstream[1])
    listed = json.loads(csbx.ok("cache", "ls", "--json"))["repositories"]
    assert [r["url"] for r in listed] == [url] and listed[0]["bytes"] > 100
    assert url in csbx.ok("cache", "ls")
    assert url not in csbx.ok("cache", "prune", "--older", "1h")
    repo = next((csbx.dirs["cache"] / "repos").glob("*.git"))
    old = time.time() - 7200
    os.utime(repo, (old, old))
    assert url in csbx.ok("cache", "prune", "--older", "1h", "--dry-run") and repo.exists()
    with open(repo.with_suffix(".use"), "rb") as use:  # as a run of the tests holds it
        fcntl.lockf(use, fcntl.LOCK_SH)
        assert url not in csbx.ok("cache", "prune", "--older", "1h") and repo.exists()
    assert url in csbx.ok("cache", "prune", "--older", "1h") and not repo.exists()
    assert json.loads(csbx.ok("cache", "ls", "--json"))["repositories"] == []
    clone(judge, url, upstream[1])
