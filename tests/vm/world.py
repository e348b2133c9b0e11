# SPDX-License-Identifier: Apache-2.0
"""The guest as one test sees it: csbx as an ordinary user, conditions that end with the test.

Who runs csbx where, which decides what control groups there are:

  (default)        as a daemon of the system's would start a user's command: no session, nothing delegated
  login=True       as sshd does: PAM makes a session, the user's manager is at hand
  manager=True     a service of the user's systemd manager, below what is delegated to the user
  parent=DIR       in DIR/shell, where DIR was given to the user (World.delegate)
"""
import contextlib
import json
import re
import shlex

PYTHON = "/srv/images/python.sqsh"
BUSYBOX = "/srv/images/busybox.sqsh"
USER, USER2 = "csbx-test", "csbx-test2"
UIDS = {USER: 1001, USER2: 1002}
CGROUPS = "/sys/fs/cgroup"

# Every line it prints is something that a test left behind. Processes get ten seconds to go.
LEFTOVERS = r"""
for n in $(seq 100); do
	pids=$(ps -o pid= -u csbx-test,csbx-test2 | while read -r pid; do
		grep -q '/init.scope$' /proc/$pid/cgroup 2>/dev/null || echo $pid; done)
	[ -n "$pids" ] || break
	sleep 0.1
done
for pid in $pids; do
	echo "process $pid: $(tr '\0' ' ' </proc/$pid/cmdline)"
	kill -9 $pid
done
find /sys/fs/cgroup -name 'csbx-*' -type d ! -path '*/csbx-agent.service*' | sed 's/^/cgroup /'
grep -E 'csbx|squash|overlay' /proc/self/mounts | sed 's/^/mount /'
for home in /home/csbx-test /home/csbx-test2; do
	find $home/.local $home/.cache /tmp /var/tmp /run/user -name '.tmp-*' -o -name '*.tmp'
	find $home/.local/share/csbx/layers -mindepth 1 -name '*scratch*/?*'
done 2>/dev/null | sort -u | sed 's/^/file /'
rm -rf /home/csbx-test*/.local /home/csbx-test*/.cache /tmp/* /run/user/*/csbx* /var/tmp/csbx*
"""


def steady(text):
    """Without the names of sessions and units, which are others each time."""
    return re.sub(r"session-c\d+|run-[a-z]\d+", "SESSION", text)


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
        self.stack.close()

    def arrange(self, do, undo):
        """A condition made by one shell line of root's and ended by another."""
        self.stack.callback(self.machine.sh, undo)
        self.machine.sh(do)

    def sysctl(self, name, value):
        path = "/proc/sys/" + name.replace(".", "/")
        before = self.machine.read(path).strip()
        self.arrange(f"echo {value} >{path}", f"echo {before} >{path}")

    # --- running --------------------------------------------------------------------------------

    def run(self, *argv, user=USER, env=None, login=False, manager=False, parent=None, **kw):
        """A command as an ordinary user, in the kind of session asked for."""
        env = {"CSBX_LINGER": "0", **(env or {})}
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

    # --- afterwards -----------------------------------------------------------------------------

    def leftovers(self):
        return self.machine.run("sh", "-c", LEFTOVERS, timeout_s=60).stdout
