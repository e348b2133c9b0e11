# SPDX-License-Identifier: Apache-2.0
"""The guest as a Python object: start it, run commands in it, end it.

QEMU emulates the machine (tcg: no /dev/kvm and no privilege needed). It goes on from a memory image taken right after
boot, with the disk as it was then; a run's writes to the disk lie in an unlinked file. Commands travel over a virtio
serial port to inside/agent.py. The guest has no network. QEMU is killed by the kernel when the process that started it
ends, however it ends.
"""
import ctypes
import json
import signal
import socket
import subprocess
import time
from pathlib import Path

QEMU = "qemu-system-x86_64"
# A change here makes another guest: these words are part of the recipe's hash. Two CPUs, because throttling and
# affinity are tested; more memory than the 2 GiB that a test takes in one go.
MACHINE = ["-M", "q35", "-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max", "-smp", "2",
           "-m", "3072", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
KERNEL_ARGS = ("console=ttyS0 root=/dev/vda rw quiet systemd.show_status=0 mitigations=off "
               "random.trust_cpu=on panic=-1 modprobe.blacklist=kvm_amd,powernow_k8")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PR_SET_PDEATHSIG = 1
BOOT_TIMEOUT_S = 240
ANSWER_SLACK_S = 60  # for the agent to answer after a command's own timeout

libc = ctypes.CDLL(None, use_errno=True)


class GuestError(Exception):
    """The guest or its agent failed; the text ends with the console's last lines."""


class Result:
    """The result of a command in the guest: code (-N: signal N), stdout and stderr as text."""

    def __init__(self, argv, answer, stdout, stderr):
        self.argv = argv
        self.returncode = answer["code"]
        self.timed_out = answer["timed_out"]
        self.stdout = stdout.decode("utf-8", "surrogateescape")
        self.stderr = stderr.decode("utf-8", "surrogateescape")

    def __str__(self):
        return (f"{' '.join(self.argv)}\nexit code {self.returncode}"
                f"{' (timed out)' if self.timed_out else ''}\n"
                f"stdout: {self.stdout[-3000:]}\nstderr: {self.stderr[-3000:]}")


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Guest:
    """A running guest. fresh: boot it from power-on, writing to the disk, to make the image."""

    def __init__(self, directory, console, fresh=False):
        self.directory = Path(directory)
        self.console = Path(console)
        self.lost = None
        self.agent, agent_end = socket.socketpair()
        self.monitor, monitor_end = socket.socketpair()
        self.pending = {self.agent: b"", self.monitor: b""}
        with agent_end, monitor_end:
            self.qemu = subprocess.Popen(
                [QEMU, *MACHINE, *self.boot(fresh), *self.devices(fresh, agent_end, monitor_end)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                preexec_fn=die_with_parent, pass_fds=[agent_end.fileno(), monitor_end.fileno()])
        try:
            self.talk_to_monitor()
            if not fresh:
                self.resume()
            self.wait_for_agent()
        except BaseException:
            self.close()
            raise

    def boot(self, fresh):
        args = ["-kernel", str(self.directory / "kernel"), "-initrd", str(self.directory / "initrd"),
                "-append", KERNEL_ARGS]
        return args if fresh else [*args, "-incoming", f"exec:zstd -dcq {self.directory}/memory.zst"]

    def devices(self, fresh, agent, monitor):
        snapshot = "off" if fresh else "on"
        return ["-drive", f"file={self.directory}/disk.img,format=raw,if=none,id=disk,"
                          f"cache=unsafe,discard=unmap,snapshot={snapshot}",
                "-device", "virtio-blk-pci,drive=disk",
                "-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console",
                "-chardev", f"socket,id=agent,fd={agent.fileno()}",
                "-device", "virtio-serial-pci",
                "-device", "virtserialport,chardev=agent,name=csbx.agent",
                "-chardev", f"socket,id=monitor,fd={monitor.fileno()}",
                "-mon", "chardev=monitor,mode=control"]

    # --- the two channels ---------------------------------------------------------------------------

    def fill(self, channel, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise GuestError("no answer in time\n" + self.last_words())
        channel.settimeout(left)
        try:
            data = channel.recv(1 << 18)
        except TimeoutError:
            data = None
        except ConnectionError:
            data = b""
        if data is None:
            raise GuestError("no answer in time\n" + self.last_words())
        if not data:
            raise GuestError("the guest is gone\n" + self.last_words())
        self.pending[channel] += data

    def line(self, channel, deadline):
        while b"\n" not in self.pending[channel]:
            self.fill(channel, deadline)
        line, self.pending[channel] = self.pending[channel].split(b"\n", 1)
        return line

    def take(self, channel, size, deadline):
        while len(self.pending[channel]) < size:
            self.fill(channel, deadline)
        data = self.pending[channel]
        self.pending[channel] = data[size:]
        return data[:size]

    def last_words(self):
        text = self.console.read_text(errors="replace") if self.console.exists() else ""
        if self.qemu.poll() is not None:
            text += f"\nqemu exited with {self.qemu.returncode}: "
            text += self.qemu.stderr.read().decode(errors="replace")
        return "console: " + text[-3000:].strip()

    def command(self, name, timeout_s=30, **arguments):
        """One command of QEMU's machine protocol; events are skipped."""
        deadline = time.monotonic() + timeout_s
        self.monitor.settimeout(timeout_s)
        self.monitor.sendall(json.dumps({"execute": name, "arguments": arguments}).encode() + b"\n")
        while True:
            answer = json.loads(self.line(self.monitor, deadline))
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise GuestError(f"{name}: {answer['error']['desc']}")

    def talk_to_monitor(self):
        self.line(self.monitor, time.monotonic() + 30)  # the greeting
        self.command("qmp_capabilities")

    def resume(self):
        """It was saved standing still, and stands still when it has been read."""
        deadline = time.monotonic() + BOOT_TIMEOUT_S
        while (state := self.command("query-status")["status"]) == "inmigrate":
            if time.monotonic() > deadline:
                raise GuestError("its memory was not read in time")
            time.sleep(0.05)
        if state != "running":
            self.command("cont")

    def wait_for_agent(self):
        self.run("true", timeout_s=BOOT_TIMEOUT_S)
        # The clock stood still while the memory lay on disk.
        self.ok("date", "-u", "-s", f"@{time.time():.3f}")

    # --- commands -----------------------------------------------------------------------------------

    def run(self, *argv, user="root", env=None, cwd="/", stdin=b"", timeout_s=60, cgroup=None):
        """Runs a command in the guest as a user; `cgroup` is joined by root before that."""
        home = "/root" if user == "root" else f"/home/{user}"
        stdin = stdin.encode() if isinstance(stdin, str) else stdin
        ask = {"argv": [str(a) for a in argv], "user": user, "cwd": str(cwd), "cgroup": cgroup,
               "env": {"PATH": PATH, "HOME": home, "USER": user, "LANG": "C.UTF-8",
                       "LOGNAME": user, **(env or {})},
               "timeout_s": timeout_s, "stdin_bytes": len(stdin)}
        return Result(ask["argv"], *self.ask(ask, stdin, timeout_s))

    def call(self, name, *args):
        """A function of probe.py, called in the agent; arguments and value pass through JSON."""
        source = (Path(__file__).parent / "probe.py").read_text(encoding="utf-8")
        return self.ask({"call": name, "source": source, "args": args}, b"", 60)[0]["value"]

    def ask(self, question, stdin, timeout_s):
        """One exchange with the agent. After one that broke off, answers would belong to other questions."""
        if self.lost:
            raise GuestError("the guest was lost before: " + self.lost)
        self.lost = "an exchange was broken off"
        answer = self.exchange(question, stdin, timeout_s)
        self.lost = None
        if "error" in answer[0]:
            raise GuestError(f"{question.get('call') or question['argv'][0]}: {answer[0]['error']}")
        return answer

    def exchange(self, question, stdin, timeout_s):
        deadline = time.monotonic() + timeout_s + ANSWER_SLACK_S
        self.agent.settimeout(timeout_s + ANSWER_SLACK_S)
        try:
            self.agent.sendall(json.dumps(question).encode() + b"\n" + stdin)
        except OSError as e:
            raise GuestError(f"{e}\n" + self.last_words()) from e
        answer = json.loads(self.line(self.agent, deadline))
        out = self.take(self.agent, answer["stdout_bytes"], deadline)
        err = self.take(self.agent, answer["stderr_bytes"], deadline)
        return answer, out, err

    def ok(self, *argv, **kw):
        """Runs a command that must succeed; returns its stdout."""
        p = self.run(*argv, **kw)
        assert p.returncode == 0, str(p)
        return p.stdout

    def sh(self, script, *args, **kw):
        """A shell script that must succeed, in sh -e; returns its stdout."""
        return self.ok("sh", "-euc", script, "sh", *args, **kw)

    def read(self, path):
        return self.ok("cat", path)

    def save(self, path, timeout_s=120):
        """Stops the guest and writes its memory to path, compressed."""
        self.command("stop")
        self.command("migrate-set-parameters", **{"max-bandwidth": 1 << 34})
        self.command("migrate", uri=f"exec:zstd -q -1 -T2 -o {path}")
        deadline = time.monotonic() + timeout_s
        while (state := self.command("query-migrate").get("status")) != "completed":
            if state in ("failed", "cancelled") or time.monotonic() > deadline:
                raise GuestError(f"saving the guest's memory: {state}")
            time.sleep(0.1)
        self.command("quit")
        self.qemu.wait(timeout=30)

    def close(self):
        if self.qemu.poll() is None:
            self.qemu.kill()
        self.qemu.wait()
        for end in (self.agent, self.monitor, self.qemu.stderr):
            end.close()
