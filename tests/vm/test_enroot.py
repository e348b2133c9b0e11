# SPDX-License-Identifier: Apache-2.0
"""Starts without a supervisor on Linux 6.1: csbx becomes the command itself, and a tmpfs there has no user
attributes, so what lies over an image has to lie on disk. With and without id ranges."""
import pytest
import world as w
from world import BUSYBOX, PYTHON

USERS = pytest.mark.parametrize("user", [w.USER, w.USER2])


def session(world, script, user, image=BUSYBOX):
    """A shell script that has enroot first on its PATH and the image as $1; returns its stdout."""
    begin = "set -e; csbx shims $HOME/shims >/dev/null; PATH=$HOME/shims:$PATH; "
    try:
        p = world.run("sh", "-c", begin + script, "-", image, user=user)
    finally:
        world.machine.sh(f"rm -rf /home/{user}/shims")
    assert p.returncode == 0, str(p)
    return p.stdout


@USERS
def test_sandboxed_coder(world, user):
    """The steps of harnesses for enroot, for each script."""
    out = session(world, r"""
mkdir -p $HOME/d; echo 'import os; print("from", os.getcwd(), os.path.exists("/work/script.py"))' >$HOME/d/script.py
for n in 1 2; do
    enroot remove -f py || true; enroot create --name py "$1"
    enroot start --mount $HOME/d:/work py python3 /work/script.py
done 2>/dev/null
enroot remove -f py; rm -r $HOME/d; enroot list
""", user, PYTHON)
    assert out == "from /root True\n" * 2, out


@USERS
def test_command_is_csbx_itself(world, user):
    """The caller's child is the command: its exit code, its signal, its number."""
    out = session(world, r"""
enroot create --name c "$1" 2>/dev/null
enroot start c sh -c 'exit 9' || echo code $?
enroot start c sh -c 'kill -TERM $$' || echo code $?
enroot start c sh -c 'echo $$' >pid & wait $!; [ "$(cat pid)" = $! ] && echo same number
rm pid; enroot remove -f c
""", user)
    assert out == "code 9\ncode 143\nsame number\n", out


@USERS
def test_what_was_written_stays(world, user):
    """-w writes to the container's layer; without it that is read, and the rest is thrown away."""
    out = session(world, r"""
enroot create --name c "$1" 2>/dev/null
enroot start -w c sh -c 'echo kept >/new; rm -r /var/lib; mkdir /opt/mine'
enroot start c sh -c 'cat /new; ls -d /var/lib /opt/mine 2>/dev/null; touch /other 2>/dev/null || echo read-only'
enroot start -w c sh -c 'rm /new; ls /new 2>/dev/null || echo gone'
enroot remove -f c
""", user)
    assert out == "kept\n/opt/mine\nread-only\ngone\n", out


@USERS
def test_exec(world, user):
    """A command that runs is on the list, and can be joined."""
    out = session(world, r"""
enroot create --name c "$1" 2>/dev/null
enroot start c sleep 300 & pid=$!
until enroot list -f | grep -q "^c .*sleep"; do sleep 0.2; done
enroot exec $pid sh -c 'echo in $(cat /proc/self/comm) $(id -u); [ -e /srv ] || echo no host'
kill $pid; wait $pid || echo code $?
enroot remove -f c
""", user)
    assert out.startswith("in ") and out.endswith("code 143\n"), out
