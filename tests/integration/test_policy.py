# SPDX-License-Identifier: Apache-2.0
"""The site's policy: a default gives way to it, an option is refused, and it can be looked at."""
import json
import subprocess

import pytest

import images

pytestmark = [pytest.mark.feature("userns"), pytest.mark.needs_root]

# A copy of /etc that only this session sees, with a policy in it.
SESSION = r"""
set -e; top=$0; text=$1; shift
mount --make-rprivate /
mkdir -p "$top/etc"; mount -t tmpfs tmpfs "$top/etc"
cp -a /etc/. "$top/etc"; mkdir -p "$top/etc/csbx"; printf %s "$text" >"$top/etc/csbx/policy.conf"
mount --bind "$top/etc" /etc
exec runuser -u "$@"
"""


@pytest.fixture
def site(csbx):
    """Runs csbx where the site has this policy."""
    def call(policy, *args, **kw):
        return subprocess.run(["unshare", "-m", "sh", "-c", SESSION, csbx.top / "site", policy, csbx.owner.pw_name, "--", *csbx.argv(args)],
                              env=csbx.env, cwd=csbx.work, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120, check=False, **kw)

    (csbx.top / "site").mkdir()
    yield call
    left = csbx.run("docker", "ps", "-aq").stdout.split()
    if left:
        csbx.run("docker", "rm", "-f", *left)
    csbx.ok("gc")
    subprocess.run(["rm", "-rf", csbx.top / "site"], check=True)


NET = "forbid network=host\n"
LINKS = ["ls", "/sys/class/net"]


def test_docker_run_gives_way(site, busybox_image):
    """A run that names no network, or the one that is named for it, has none."""
    for options in ([], ["--network", "bridge"], ["--network", "default"]):
        p = site(NET, "docker", "run", "--rm", *options, str(busybox_image), *LINKS)
        assert (p.returncode, p.stdout) == (0, "lo\n"), p.stderr
    p = site(NET, "docker", "run", "--rm", str(busybox_image), "cat", "/proc/sys/kernel/hostname")
    assert len(p.stdout.strip()) == 12, "it has a name of its own, as without a network"
    p = site("forbid no-new-privileges=false\n", "docker", "run", "--rm", str(busybox_image), "grep", "NoNewPrivs", "/proc/self/status")
    assert (p.returncode, p.stdout.split()) == (0, ["NoNewPrivs:", "1"]), p.stderr


def test_what_is_asked_for_is_refused(site, busybox_image):
    for options in (["--network", "host"], ["--net=host"]):
        p = site(NET, "docker", "run", "--rm", *options, str(busybox_image), "true")
        assert p.returncode == 125 and "network=host is forbidden by /etc/csbx/policy.conf:1" in p.stderr, p.stderr
    p = site(NET, "run", "--network", "host", busybox_image, "true")
    assert p.returncode == 125 and "is forbidden by" in p.stderr
    p = site("forbid no-new-privileges=false\n", "docker", "run", "--rm", "--security-opt", "no-new-privileges=false", str(busybox_image), "true")
    assert p.returncode == 125 and "is forbidden by" in p.stderr, p.stderr
    p = site(NET, "docker", "run", "--rm", str(busybox_image), "true")
    assert p.returncode == 0, p.stderr


def test_a_policy_that_came_since(site, csbx, busybox_image):
    """It holds at the next start, which gives way as well."""
    csbx.ok("docker", "create", "--name", "old", str(busybox_image), *LINKS)
    p = site(NET, "docker", "start", "-a", "old")
    assert (p.returncode, p.stdout) == (0, "lo\n"), p.stderr
    csbx.ok("docker", "create", "--name", "asked", "--network", "host", str(busybox_image), *LINKS)
    p = site(NET, "docker", "start", "-a", "asked")
    assert p.returncode and "is forbidden by" in p.stderr, p.stderr


def test_builds_give_way(site, csbx):
    images.busybox_image().write_docker_archive(csbx.work / "box.tar", tags=("box:latest",))
    csbx.ok("docker", "load", "-q", "-i", csbx.work / "box.tar")
    (csbx.work / "Dockerfile").write_text("FROM box\nRUN ls /sys/class/net >/links\n", encoding="utf-8")
    p = site(NET, "build", "-t", "made", ".")
    assert p.returncode == 0, p.stderr
    assert site(NET, "run", "made", "cat", "/links").stdout == "lo\n"
    (csbx.work / "Dockerfile").write_text("FROM box\nRUN --network=host true\n", encoding="utf-8")
    p = site(NET, "build", ".")
    assert p.returncode and "is forbidden by" in p.stderr, p.stderr


def test_enroot_gives_way(site, busybox_image):
    p = site(NET + "forbid ipc=host\n", "enroot", "start", str(busybox_image), *LINKS)
    assert (p.returncode, p.stdout) == (0, "lo\n"), p.stderr


def test_eval_gives_way(site, csbx, python_image):
    """Its own limits are lower where the site's are; what is asked for, of the command line or of a line of a batch, is refused."""
    policy = "max timeout 3s\nmax memory 100m\nmax pids-limit 50\nmax max-output 64k\n"
    (csbx.work / "snippet.py").write_text("print(6 * 7)\n", encoding="utf-8")
    p = site(policy, "eval", "--image", python_image, "--json", "snippet.py")
    result = json.loads(p.stdout)
    assert (result["status"], result["timeout_s"], result["memory_limit_bytes"]) == ("exited", 3, 100 << 20), p.stderr
    for options in (["--timeout", "5"], ["--memory", "256m"]):
        p = site(policy, "eval", "--image", python_image, *options, "snippet.py")
        assert p.returncode == 125 and f"{options[0]} is above the maximum of /etc/csbx/policy.conf:" in p.stderr, p.stderr
    todo = [{"id": 1}, {"id": 2, "timeout": 2}, {"id": 3, "memory": "50m"}, {"id": 4, "timeout": 4}, {"id": 5, "memory": "200m"}]
    (csbx.work / "in").write_text("".join(json.dumps({**line, "code": "print(1)"}) + "\n" for line in todo), encoding="utf-8")
    p = site(policy, "eval", "--image", python_image, "--batch", "in")
    records = {r["id"]: r for r in map(json.loads, p.stdout.splitlines())}
    assert [(records[n]["timeout_s"], records[n]["memory_limit_bytes"] >> 20) for n in (1, 2, 3)] == [(3, 100), (2, 100), (3, 50)]
    assert [records[n]["status"] for n in (4, 5)] == ["bad_line"] * 2 and "above the maximum" in records[4]["error"]["message"]


def test_it_is_shown(site, busybox_image):
    policy = "# ours\n" + NET + "max memory 2g\nmax memory 4g\nforce read-only\n"
    shown = json.loads(site(policy, "info", "--json").stdout)["policy"]
    rules = {"forbid network=host": 2, "max memory 2g": 3, "force read-only": 5}
    assert shown == [{"rule": r, "from": f"/etc/csbx/policy.conf:{n}", "fault": None} for r, n in rules.items()]
    assert "max memory 2g" in site(policy, "info").stdout
    p = site(policy, "doctor", "--feature", "policy")
    assert p.returncode == 0 and "/etc/csbx/policy.conf: forbid network=host, max memory 2g, force read-only" in p.stdout
    fault = "/etc/csbx/policy.conf:1: unknown word 'everything'"
    p = site("forbid everything\n", "doctor")
    assert p.returncode == 1 and fault in p.stdout and "cannot start" in p.stdout
    assert json.loads(site("forbid everything\n", "info", "--json").stdout)["policy"] == [{"rule": None, "from": None, "fault": fault}]
    p = site("forbid everything\n", "run", busybox_image, "true")
    assert p.returncode == 125 and fault in p.stderr


def test_nothing_is_made_for_a_bind_that_is_forbidden(site, csbx):
    """Volumes are binds too. The volumes of an image, for which no one asked, give way."""
    rule = "forbid bind\n"
    box = images.busybox_image({"Cmd": ["/bin/sh"], "Env": [images.PATH_ENV], "Volumes": {"/etc": {}}})
    box.write_docker_archive(csbx.work / "box.tar", tags=("box:latest",))
    csbx.ok("docker", "load", "-q", "-i", csbx.work / "box.tar")
    for options in (["-v", "vol:/d"], ["-v", "/d"], ["--mount", "type=volume,dst=/d"], ["-v", f"{csbx.work}/new:/d"]):
        for verb in ("run", "create"):
            p = site(rule, "docker", verb, *options, "box", "true")
            assert p.returncode and "bind is forbidden by /etc/csbx/policy.conf:1" in p.stderr, p.stderr
    assert csbx.ok("docker", "volume", "ls", "-q") == "" and not (csbx.work / "new").exists()
    p = site(rule, "docker", "run", "--rm", "box", "sh", "-c", "echo x >/etc/f && cat /etc/f")
    assert (p.returncode, p.stdout) == (0, "x\n"), p.stderr
    assert csbx.ok("docker", "volume", "ls", "-q") == ""
