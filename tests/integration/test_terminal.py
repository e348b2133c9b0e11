# SPDX-License-Identifier: Apache-2.0
"""A terminal in a container: its own, with job control inside and outside, the right size, and the
caller's terminal as it was afterwards."""
import os
import signal
import termios

import pytest

import harness
from terminal import TIMEOUT_S

pytestmark = pytest.mark.feature("userns")


@pytest.fixture
def start(csbx, terminal, python_image):
    """csbx start on a terminal."""
    return lambda *argv, options=(), **kw: terminal(*csbx.argv(["start", *options, python_image, *argv]), **kw)


# Says when it is ready, and that it got SIGINT. (python would lose one that comes just before it
# sleeps: its handler only sets a flag.)
INTERRUPTIBLE = "trap 'echo int''errupted; exit 3' INT; echo rea''dy; while :; do sleep 0.05; done"

# It says that it goes on again: by then it has the terminal.
RESUMABLE = "trap 'echo resu''med' CONT; " + INTERRUPTIBLE


@pytest.mark.both_users
def test_a_shell_with_job_control(start):
    t = start("sh")
    t.expect(r"[#$] ")
    t.send(f'tty; sh -c "{RESUMABLE}" &\n')
    t.expect("/dev/pts/0")
    t.expect("ready\r")
    t.send("jobs; fg\n")
    t.expect("Running")
    t.expect("resumed\r")
    t.send("\x1a")
    t.expect("Stopped")
    t.send("kill -9 %1; wait; echo left $?\n")
    t.expect(r"left \d+")
    t.send("sh -c 'echo slee''ping; exec sleep 1000'\n")
    t.expect("sleeping")
    t.send("\x03")
    t.expect(r"[#$] ")
    t.send("stty size; exit 5\n")
    t.expect("24 80")
    assert t.wait() == 5
    assert termios.tcgetattr(t.slave) == t.modes


def test_interrupt_reaches_the_program(start):
    t = start("sh", "-c", INTERRUPTIBLE)
    t.expect("ready")
    t.send("\x03")
    t.expect("interrupted")
    assert t.wait() == 3
    t = start("sh", "-c", "echo ready; exec sleep 100")
    t.expect("ready")
    t.send("\x03")
    assert t.wait() == 130


def test_end_of_input(start):
    t = start("sh", "-c", "echo ready; exec cat")
    t.expect("ready")
    t.send("line\n\x04")
    t.expect("line\r\nline")
    assert t.wait() == 0


def test_window_size_follows(start):
    script = """
import os, signal, time
def say(*_):
    os.write(1, str(os.get_terminal_size()).encode() + b"\\n")
signal.signal(signal.SIGWINCH, say)
say()
while True:
    time.sleep(0.05)
"""
    t = start("python3", "-c", script, rows=30, columns=100)
    t.expect(r"columns=100, lines=30")
    t.resize(41, 77)
    t.expect(r"columns=77, lines=41")
    t.send("\x03")
    t.wait()


@pytest.mark.parametrize("end", ["exit 0", "kill -9 $$", "kill -9 -1", "stty raw -echo; exit 1"])
def test_the_terminal_is_as_it_was(start, end):
    t = start("sh", "-c", f"stty -echo raw; {end}")
    t.wait()
    assert termios.tcgetattr(t.slave) == t.modes


def test_the_terminal_after_csbx_gets_a_signal(csbx, start):
    t = start("sh", "-c", "echo ready; sleep 1000")
    t.expect("ready")
    t.p.send_signal(signal.SIGTERM)
    assert t.wait() in (143, -signal.SIGTERM)
    assert termios.tcgetattr(t.slave) == t.modes
    assert harness.wait_for_no_process(csbx.known) == {}


@pytest.fixture
def shell(csbx, terminal, python_image):
    """An interactive shell, and the words that start a program in a container from it."""
    t = terminal("bash", "--norc", "--noprofile", "--noediting", "-i")
    t.expect("shell> ")
    return t, " ".join(csbx.argv(["start", str(python_image), "sh", "-c", f'"{RESUMABLE}"']))


def expect_stopped(t):
    t.expect("Stopped")
    t.expect("shell> ")
    assert t.signals_and_lines(), "the shell has a raw terminal"


def end_in_foreground(t, stopped=True):
    """fg, Ctrl-C. A shell may not say to a running job that it comes to the front; it sees that itself."""
    t.send("fg; echo code $?\n")
    if stopped:
        t.expect(r"resumed\r")
    t.wait_for(lambda: not t.signals_and_lines())
    t.send("\x03")
    t.expect(r"interrupted\r")
    t.expect("code 3")
    t.send("exit\n")
    assert t.wait() == 0


def test_stopping_in_the_callers_shell(shell):
    """Ctrl-Z stops all of it and gives the shell its terminal back; fg goes on."""
    t, command = shell
    t.send(command + "\n")
    t.expect(r"[\r\n]ready\r")
    t.send("\x1a")
    expect_stopped(t)
    t.send("jobs; echo do''ne\n")
    t.expect("Stopped")
    t.expect("done\r\n")
    t.expect("shell> ")
    end_in_foreground(t)


def test_going_on_in_the_background(shell):
    """bg: the program runs, and the terminal stays the shell's."""
    t, command = shell
    t.send(command + "\n")
    t.expect(r"[\r\n]ready\r")
    t.send("\x1a")
    expect_stopped(t)
    t.send("bg; echo\n")
    t.expect(r"resumed\r")
    t.send("jobs; echo do''ne\n")
    t.expect("Running")
    t.expect("done\r\n")
    assert t.signals_and_lines()
    end_in_foreground(t, stopped=False)


def test_started_in_the_background(shell):
    t, command = shell
    t.send(command + " &\n")
    t.expect(r"ready\r+\n")
    assert t.signals_and_lines()
    t.send("echo sti''ll here; jobs\n")  # not eaten by the container
    t.expect("still here")
    t.expect("Running")
    end_in_foreground(t, stopped=False)


def test_stopping_a_script_that_calls_csbx(shell, csbx):
    """The whole job stops, else no shell would be there to take the terminal back."""
    t, command = shell
    (csbx.work / "script").write_text(command + "\ncode=$?\necho aft''er\nexit $code\n")
    t.send("sh script\n")
    t.expect(r"[\r\n]ready\r")
    t.send("\x1a")
    expect_stopped(t)
    end_in_foreground(t)


def test_stop_where_nobody_could_continue(start):
    """csbx is the terminal's first program, as under `ssh -t`: a stop would be for ever, so there is none."""
    t = start("sh", "-c", RESUMABLE)
    t.expect("ready")
    t.send("\x1a")
    t.expect("resumed")
    t.send("\x03")
    t.expect("interrupted")
    assert t.wait() == 3


def test_hangup(csbx, start):
    t = start("sh", "-c", "echo rea''dy; exec sleep 1000")
    t.expect("ready")
    t.hang_up()
    assert t.p.wait(timeout=TIMEOUT_S) in (129, -signal.SIGHUP)
    assert harness.wait_for_no_process(csbx.known) == {}


def test_hangup_ignored_by_the_program(csbx, start):
    """It may go on, as under nohup; end of input is what it reads."""
    done = csbx.work / "done"
    script = "trap '' HUP; echo rea''dy; cat >/dev/null; echo >/w/done"
    t = start("sh", "-c", script, options=["--mount", f"{csbx.work}:/w"])
    t.expect("ready")
    t.hang_up()
    t.p.wait(timeout=TIMEOUT_S)
    assert done.exists()


# Prints the facts that a program can learn of its descriptors: which are terminals, and of which file system.
FDS = """
import os, stat
pts = os.stat("/dev/pts").st_dev
for fd in sorted(int(n) for n in os.listdir("/proc/self/fd")):
    try:
        st = os.fstat(fd)
    except OSError:
        continue  # the one that listed the directory
    kind = "pipe" if stat.S_ISFIFO(st.st_mode) else "other"
    print(fd, ("own" if st.st_dev == pts else "foreign") + "-tty" if os.isatty(fd) else kind)
print("end")
"""


def test_descriptors_inside(start):
    """The terminal is one of the container's; nothing else came along."""
    t = start("python3", "-c", FDS)
    assert t.expect(r"(?s)^(.*)end").group(1).split("\r\n")[:-1] == ["0 own-tty", "1 own-tty", "2 own-tty"]
    assert t.wait() == 0


def test_input_from_a_pipe_output_on_a_terminal(start):
    r, w = os.pipe()
    with open(r, "rb") as read_end, open(w, "wb") as write_end:
        t = start("sh", "-c", "tr a-z A-Z; python3 -c \"$0\"", FDS, stdin=read_end)
        read_end.close()
        write_end.write(b"from a pipe\n")
    t.expect("FROM A PIPE\r\n")
    assert t.expect(r"(?s)^(.*)end").group(1).split("\r\n")[:-1] == ["0 pipe", "1 pipe", "2 pipe"]
    assert t.wait() == 0
    assert termios.tcgetattr(t.slave) == t.modes


def test_output_to_a_pipe_input_on_a_terminal(start):
    r, w = os.pipe()
    with open(r, "rb") as read_end:
        t = start("sh", "-c", "echo rea''dy >&2; head -n 1; python3 -c \"$0\"", FDS, stdout=w)
        os.close(w)
        t.expect("ready")
        t.send("typed\n")
        assert read_end.read().decode().splitlines() == ["typed", "0 pipe", "1 pipe", "2 pipe", "end"]
    assert t.wait() == 0


def test_every_byte_passes(start):
    """Both ways, where the program has made its terminal raw: no byte is csbx's."""
    script = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"ready")
got = b""
while len(got) < 512:
    got += os.read(0, 512)
os.write(1, got.hex().encode() + b"." + bytes(range(256)) + b"end")
"""
    data = bytes(range(256)) * 2
    t = start("python3", "-c", script)
    t.expect("ready")
    t.send(data)
    assert t.expect(r"([0-9a-f]+)\.").group(1) == data.hex()
    assert t.expect(r"(?s)^(.*)end").group(1) == bytes(range(256)).decode("latin-1")
    assert t.wait() == 0


def test_much_output_to_a_slow_reader(start):
    t = start("sh", "-c", "seq 200000; echo la''st")
    for n in ("1", "100000", "200000", "last"):
        t.expect(rf"(?m)^{n}\r$")
    assert t.wait() == 0


def test_no_terminal_where_there_is_none(csbx, python_image):
    assert csbx.ok("start", python_image, "sh", "-c", "tty; [ -t 1 ] || echo none").split() == ["not", "a", "tty", "none"]


@pytest.mark.parametrize("text, want", [("", ""), ("a line\n", "A LINE\n"), ("no newline", "NO NEWLINE")])
def test_terminal_inside_only(csbx, python_image, text, want):
    """--tty for a program that insists on one; the end of what csbx reads is the end of its input."""
    script = 'tty >/dev/null && stty -onlcr && tr a-z A-Z'
    assert csbx.ok("start", "--tty", python_image, "sh", "-c", script, stdin=text).endswith(want)  # after the echo


def test_program_that_stops_itself_does_not_stop_csbx(csbx, python_image):
    assert csbx.run("start", "--timeout", "1", python_image, "sh", "-c", "kill -STOP $$").returncode == 124


@pytest.mark.both_users
@pytest.mark.parametrize("how", [{}, {"CSBX_MEMORY": "1g"}, {"CSBX_ENROOT_PROFILE": "sandbox"}],
                         ids=["in place", "supervised", "sandbox"])
def test_enroot_on_a_terminal(csbx, terminal, python_image, how):
    """As under script(1): the terminal is the caller's, and a sandbox has one of its own."""
    csbx.ok("create", "-n", "box", python_image)
    words = " ".join(csbx.argv(["enroot", "start", "box", "sh", "-c"]))
    settings = " ".join(f"{k}={v}" for k, v in how.items())
    is_one = "" if "CSBX_MEMORY" in how else "test -t 0 && test -t 1 &&"  # supervised, its streams are csbx's pipes
    t = terminal("sh", "-c", f"{settings} {words} '{is_one} read x && echo got $x'; echo code $?")
    t.send("line\n")
    t.expect("got line")
    t.expect("code 0")
    csbx.ok("remove", "-f", "box")


@pytest.mark.parametrize("options, argv, says", [
    (["--timeout", "1"], ["sleep", "100"], "--timeout ended it after 1.000 s"),
    (["--memory", "64m"], ["sh", "-c", "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo ${#x}"], "--memory ended it: it needed more than 64 MiB"),
    (["--max-output-kill", "1000"], ["yes"], "--max-output-kill ended it: it wrote more than 1000 bytes")])
def test_a_person_is_told_which_limit_ended_it(csbx, start, python_image, options, argv, says):
    """On a terminal only: what a script reads on stderr is the program's."""
    t = start(*argv, options=options)
    code = t.wait()
    t.expect(f"csbx: start .*: {says}")
    assert code == (124 if "timeout" in says else 137)
    p = csbx.run("start", *options, python_image, *argv)
    assert p.returncode == code and "ended it" not in p.stderr
