# SPDX-License-Identifier: Apache-2.0
"""csbx test --clone: a commit of a repository that a server on loopback has."""
import fcntl
import http.server
import json
import os
import socket
import subprocess
import threading
import time

import pytest

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
    """What it leaves does not keep the next one from fetching."""
    old, new = upstream
    clone(judge, judge.repo.as_uri(), new)
    repo = next((csbx.dirs["cache"] / "repos").glob("*.git"))
    for name in ("config.lock", "shallow.lock", "HEAD.lock"):
        judge.write(repo / name, "")
    clone(judge, judge.repo.as_uri(), old, code=1)


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
    """What --clone fetched: with its size, and gone when it is old and nobody uses it."""
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
