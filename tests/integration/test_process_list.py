# SPDX-License-Identifier: Apache-2.0
"""The list of processes, which all users of a machine may read: no value of a variable stays in it while a container runs."""
import os
import signal
import subprocess

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

VALUE = "hunter2hunter2"
TELL = f"""test "$PW" = {VALUE[:7]}''{VALUE[7:]} && echo ready; exec sleep 1000"""
WAYS = [["-e", f"PW={VALUE}"], [f"-ePW={VALUE}"], ["--env", f"PW={VALUE}"], [f"--env=PW={VALUE}"]]


def listed():
    """Command lines with the value in them."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                text = f.read()
        except OSError:
            continue
        if VALUE.encode() in text:
            found.append(text)
    return found


@pytest.fixture
def clean(csbx, busybox_image):
    csbx.ok("create", "--name", "box", busybox_image)
    yield busybox_image
    for name in csbx.ok("docker", "ps", "-aq").split():
        csbx.ok("docker", "rm", "-f", name)
    for line in csbx.ok("ps", "-q").split():
        csbx.ok("kill", line)
    csbx.ok("gc")


def look(csbx, *words):
    """Starts it, and looks when the program has said that it has the variable."""
    p = csbx.popen(*words)
    try:
        assert p.stdout.readline().strip() == b"ready", p.stderr.read()
        assert not listed()
    finally:
        p.send_signal(signal.SIGTERM)
        p.communicate(timeout=20)


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize("verb", ["start", "docker run", "enroot start"])
def test_a_start(csbx, clean, verb, way):
    if verb == "enroot start" and way[0].startswith("-eP"):
        way = WAYS[0]  # enroot knows no such form
    options = {"start": [], "docker run": ["--init", "--network", "none"], "enroot start": ["--pid"]}[verb]
    look(csbx, *verb.split(), *options, *way, "box" if verb == "start" else clean, "sh", "-c", TELL)


@pytest.mark.parametrize("verb", ["start", "docker run"])
def test_a_detached_start(csbx, clean, verb):
    where = ["--network", "none", clean] if verb == "docker run" else ["box"]
    name = csbx.ok(*verb.split(), "-d", *WAYS[0], *where, "sh", "-c", TELL).strip()
    for _ in range(1000):
        if csbx.ok("logs", name) == "ready\n":
            break
    else:
        pytest.fail("it does not start")
    assert not listed()


@pytest.mark.parametrize("verb", ["exec", "docker exec"])
def test_an_exec(csbx, clean, verb):
    name = csbx.ok("docker", "run", "-d", "--network", "none", clean, "sleep", "1000").strip()
    look(csbx, *verb.split(), *WAYS[0], name, "sh", "-c", TELL)


def test_a_snippet(csbx, clean, python_image):
    code = f"import os\nprint('ready' if os.environ['PW'].startswith('{VALUE[:7]}') else '', flush=True)\nimport time; time.sleep(1000)"
    p = csbx.popen("eval", *WAYS[0], "--timeout", "1000", "--image", python_image, "-", stdin=subprocess.PIPE)
    try:
        p.stdin.write(code.encode())
        p.stdin.close()
        p.stdin = None
        assert p.stdout.readline().strip() == b"ready"
        assert not listed()
    finally:
        p.send_signal(signal.SIGTERM)
        p.communicate(timeout=20)


def test_what_the_program_is_told_stays(csbx, clean):
    """The same words as arguments of the program are its own."""
    assert csbx.ok("start", *WAYS[0], "box", "echo", f"PW={VALUE}", f"--env=PW={VALUE}") == f"PW={VALUE} --env=PW={VALUE}\n"
