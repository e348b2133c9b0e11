# SPDX-License-Identifier: Apache-2.0
"""Words of an image and names that a program makes, where csbx shows them on a terminal: they do not steer it."""
import os
import pty
import subprocess

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

STEER = "\x1b]0;title\x07\x1b[31m\x9b"
DOCKERFILE = f"""FROM base
LABEL word="{STEER}"
RUN true "{STEER}"
HEALTHCHECK NONE
ONBUILD RUN echo "$HOME" "{STEER}"; exit 1
CMD ["sleep", "1000", "{STEER}"]
"""


def on_terminal(csbx, *words):
    """What a terminal gets of it."""
    ours, theirs = pty.openpty()
    p = subprocess.Popen(csbx.argv([str(w) for w in words]), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=csbx.env,
                         cwd=csbx.work)
    os.close(theirs)
    text = b""
    try:
        while piece := os.read(ours, 65536):
            text += piece
    except OSError:  # the last one has closed it
        pass
    os.close(ours)
    p.wait(timeout=60)
    return text


@pytest.fixture
def hostile(csbx, busybox_image):
    csbx.ok("docker", "create", "--name", "base", busybox_image)
    csbx.ok("docker", "commit", "base", "base")
    csbx.ok("docker", "build", "-q", "-t", "hostile", "-", stdin=DOCKERFILE)
    csbx.ok("docker", "run", "-d", "--network", "none", "--name", "box", "hostile", "sh", "-c",
            f"touch '/tmp/{STEER}'; echo made; exec sleep 1000")
    for _ in range(1000):
        if csbx.ok("docker", "logs", "box") == "made\n":
            break
    yield
    csbx.ok("docker", "rm", "-f", "box", "base")


SHOWN = [["docker", "history", "--no-trunc", "hostile"], ["docker", "diff", "box"], ["docker", "ps", "--format", "{{.Labels}}"],
         ["docker", "inspect", "-f", "{{.Config.Cmd}} {{.Config.Labels}}", "hostile"], ["docker", "stats", "--no-stream"],
         ["docker", "ps", "--no-trunc"], ["docker", "top", "box"], ["ps"], ["inspect", "box"]]


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_nothing_steers(csbx, hostile, words):
    text = on_terminal(csbx, *words)
    assert text.count(b"\n") and not set(text) & (set(range(0x20)) - set(b"\r\n\t")), text
    assert b"\x9b" not in text.decode("utf-8", "surrogateescape").encode("latin-1", "ignore"), text


@pytest.mark.parametrize("dockerfile", ["FROM hostile\n", f'FROM base\nRUN exit 1 "{STEER}"\n', f'FROM base\nCOPY "{STEER}" /\n'],
                         ids=["ONBUILD", "RUN", "COPY"])
def test_a_build(csbx, hostile, dockerfile):
    (csbx.work / "Dockerfile").write_text(dockerfile.replace("\x9b", ""))
    text = on_terminal(csbx, "docker", "build", "-f", csbx.work / "Dockerfile", csbx.work)
    # The step's own program may write what it likes; of these none writes a red word.
    lines = [n for n in text.split(b"\r\n") if b"\x1b" in n]
    assert b"ERROR" in text and not [n for n in lines if b"$HOME" in n or b"ERROR" in n or b">" in n or b"exit 1" in n], lines


def test_a_pipe_gets_the_bytes(csbx, hostile):
    assert "\x1b]0;title\x07" in csbx.ok("docker", "history", "--no-trunc", "hostile")
