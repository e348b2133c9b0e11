# SPDX-License-Identifier: Apache-2.0
"""The guest as one test sees it: csbx as an ordinary user, conditions that end with the test.

The users and places that csbx runs in, which decide the control groups there are:

  (default)        as a daemon of the system's would start a user's command: no session, nothing delegated
  login=True       as sshd does: PAM makes a session, the user's manager is at hand
  manager=True     a service of the user's systemd manager, below what is delegated to the user
  parent=DIR       in DIR/shell, where DIR was given to the user (World.delegate)
"""
import contextlib
import json
import os
import re
import shlex

PYTHON = "/srv/images/python.sqsh"
BUSYBOX = "/srv/images/busybox.sqsh"
USER, USER2 = "csbx-test", "csbx-test2"
UIDS = {USER: 1001, USER2: 1002}
CGROUPS = "/sys/fs/cgroup"
# With containers made ahead (CSBX_SPARES in the environment) the image servers linger until the test ends.
SPARES = os.environ.get("CSBX_SPARES")
LINGERING = {"CSBX_LINGER": "60s", "CSBX_SPARES": SPARES} if SPARES else {"CSBX_LINGER": "0"}

def steady(text):
    """Without the names of sessions and units and the times, which are others each time."""
    return re.sub(r"session-c\d+|run-[a-z]\d+|\d+ ms", "SOME", text)


class World:
    def __init__(self, machine):
        self.machine = machine
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.undo()

    # --- arranging ------------------------------------------------------------------------------

    def undo(self):
        if SPARES:
            for user, uid in UIDS.items():
                for where in {}, {"XDG_RUNTIME_DIR": f"/run/user/{uid}"}:
                    self.csbx("gc", "--servers", user=user, env=where)
        self.stack.close()

    def arrange(self, do, undo):
        """A condition made by one shell line of root's and ended by another."""
        self.stack.callback(self.machine.sh, undo)
        self.machine.sh(do)

    def sysctl(self, name, value):
        path = "/proc/sys/" + name.replace(".", "/")
        self.stack.callback(self.machine.call, "write", path, self.machine.call("read", path))
        self.machine.call("write", path, str(value))

    def delegate(self, path, controllers="cpu memory pids", user=USER):
        """A control group that belongs to the user, as a batch system makes it; DIR/shell is for processes."""
        self.stack.callback(self.machine.call, "undelegate", path)
        self.machine.call("delegate", path, controllers.split(), UIDS[user])

    # --- running --------------------------------------------------------------------------------

    def run(self, *argv, user=USER, env=None, login=False, manager=False, parent=None, **kw):
        """A command as an ordinary user, in the kind of session asked for."""
        env = {**LINGERING, **(env or {})}
        argv = [str(a) for a in argv]
        if login:
            words = [*(f"{k}={v}" for k, v in env.items()), *argv]
            return self.machine.run("su", "-l", user, "-c", "env " + shlex.join(words), **kw)
        if manager:
            env["XDG_RUNTIME_DIR"] = f"/run/user/{UIDS[user]}"
            argv = ["systemd-run", "--user", "--quiet", "--pipe", "--wait", "--collect",
                    *(f"--setenv={k}={v}" for k, v in env.items()), *argv]
        if parent:
            env["CSBX_CGROUP_PARENT"] = parent
            kw["cgroup"] = parent + "/shell"
        return self.machine.run(*argv, user=user, env=env, cwd=f"/home/{user}", **kw)

    def csbx(self, *args, **kw):
        return self.run("csbx", *args, **kw)

    def ok(self, *args, **kw):
        """csbx, which must succeed; returns its stdout."""
        p = self.csbx(*args, **kw)
        assert p.returncode == 0, str(p)
        return p.stdout

    def refuses(self, *args, says=(), **kw):
        """csbx, which must refuse with 125, one `csbx: ` line and a hint that helps."""
        p = self.csbx(*args, **kw)
        lines = p.stderr.splitlines()
        assert p.returncode == 125 and lines and lines[0].startswith("csbx: "), str(p)
        assert len(lines) <= 2 and not lines[-1].startswith("csbx: ", 1), str(p)
        for word in [says] if isinstance(says, str) else says:
            assert word in p.stderr, f"{p}\nexpected to read: {word}"
        return p.stderr

    def result(self, *args, code=None, **kw):
        """The object of `csbx run --json ARGS`."""
        p = self.csbx("run", "--json", *args, **kw)
        assert p.stdout.startswith("{") and code in (None, p.returncode), str(p)
        return json.loads(p.stdout)

    def doctor(self, **kw):
        """{feature: {ok, needed, reason, remedy}}; the lines for people must say the same."""
        text, data = self.csbx("doctor", **kw), self.csbx("doctor", "--json", **kw)
        facts = json.loads(data.stdout)
        assert text.returncode == data.returncode, f"{text}\n{data}"
        lines = {line.split()[1]: steady(line) for line in text.stdout.splitlines() if len(line.split()) > 2}
        for name, fact in facts.items():
            word = "ok" if fact["ok"] else "MISSING" if fact["needed"] else "missing"
            assert lines[name].split()[0] == word and steady(fact["reason"]) in lines[name], str(text)
        works = all(f["ok"] for f in facts.values() if f["needed"])
        assert (text.returncode == 0) == works, str(text)
        return facts

    def ooms(self):
        """The number of times that the kernel has killed for memory since it started."""
        return int(self.machine.call("read", "/proc/vmstat").split("oom_kill ")[1].split()[0])

    # --- afterwards -----------------------------------------------------------------------------

    def leftovers(self):
        """Lines about what the test left behind; it is removed then."""
        return "\n".join(self.machine.call("leftovers", list(UIDS.values())))
