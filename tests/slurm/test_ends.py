# SPDX-License-Identifier: Apache-2.0
"""
Containers of the plugin that end before their time: while they are imported or started, without their holder, beside
another job's or another user's. The tests run where SLURM tracks processes by descent, and where it does so by control
groups.
"""
import os
import signal
import socket
import subprocess
import threading

import pytest

import cluster as clusters
import harness
import images
import jobs as submitted
import tinyregistry
from plugin_steps import Steps, plugstack, running

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]

SLOW_S = 60
PROMPT_S = 20  # a holder that is waited for and not told takes 30
AT_WORK = (" __hold ", "enroot import", "enroot start", "/run/csbx-hold", "csbx-join", "sleep 7777")


def until(wanted, what, timeout_s=SLOW_S):
    return clusters.poll(wanted, what, timeout_s)


@pytest.fixture(scope="module")
def grouped(session_dir):
    if lacking := clusters.cgroups_lacking():
        pytest.skip(f"no control groups of version 1 for SLURM here: {' '.join(lacking)}")
    with clusters.Cluster(session_dir / "grouped", nodes=(f"cg{os.getpid()}",), cgroups=True) as c:
        yield c


@pytest.fixture(params=["linuxproc", "cgroup"])
def where(request):
    c = request.getfixturevalue("cluster" if request.param == "linuxproc" else "grouped")
    plugstack(c)
    yield c
    c.set_plugstack("")


@pytest.fixture
def steps(where, csbx, python_image):
    s = Steps(submitted.Jobs(csbx, where), python_image, where.top / "steps")
    s.node = where.nodes[0]
    yield s
    left = s.jobs.settle()
    assert not left, left
    until(lambda: not s.left() and not imports(s), f"the end of {s.left()} {imports(s)}")
    if where.cgroups:
        # SLURM leaves an empty one behind now and then.
        until(lambda: not any(where.processes_of(g) for g in where.groups()), "nobody in a job's control groups")


def imports(steps):
    """Files of images that were imported for a step alone."""
    return list((steps.jobs.box.dirs["cache"] / "steps").glob("*/*"))


def check_gone(steps):
    until(lambda: not any(running(x) for x in AT_WORK), "the end of all processes")
    assert steps.ok("echo", "next") == "next\n"


class Hanging:
    """A registry that takes connections and never answers."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.taken = []
        self.thread = threading.Thread(target=self.take, daemon=True)
        self.thread.start()

    def take(self):
        try:
            while True:
                self.taken.append(self.socket.accept()[0])
        except OSError:
            pass

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        for s in [self.socket, *self.taken]:
            s.close()


@pytest.fixture
def hanging():
    server = Hanging()
    yield server
    server.close()


def end_step(steps, p, how):
    """Ends the one job there is, in one of the ways that there are."""
    c = steps.jobs.cluster
    [job] = c.jobs()
    if how == "interrupt":
        while p.poll() is None:
            p.send_signal(signal.SIGINT)
            try:
                p.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
    else:
        steps.jobs.cancel(f"{job}.0" if how == "step" else job, *(["--signal=KILL"] if how == "kill" else []))


@pytest.mark.parametrize("how", ["job", "step", "kill", "interrupt"])
def test_an_import_that_hangs(steps, hanging, how):
    """It is ended at once, its tasks with it, and nothing goes on in the background."""
    p = steps.jobs.popen("srun", "-n2", f"--container-image=docker://{hanging.host}/app:1", "true",
                         env={"CSBX_INSECURE_REGISTRY": hanging.host})
    until(lambda: hanging.taken, "the import")
    end_step(steps, p, how)
    p.communicate(timeout=PROMPT_S)
    assert p.returncode
    until(lambda: not steps.jobs.cluster.jobs(), "the job's end", PROMPT_S)
    steps.jobs.cluster.check_alive()
    check_gone(steps)


def test_an_import_that_is_killed(steps, hanging):
    """The tasks learn it, and the parts of the image are gone when the step is."""
    with tinyregistry.Registry() as registry:
        registry.put("1", images.busybox_image())
        registry.bytes_per_s = 20000
        env = {"CSBX_INSECURE_REGISTRY": registry.host}
        p = steps.jobs.popen("srun", "-n2", f"--container-image={registry.uri()}", "true", env=env)
        until(lambda: registry.count("GET", "blob"), "the import")
        harness.kill_all(running("enroot import") + running(" __hold "))
        err = p.communicate(timeout=SLOW_S)[1]
        assert p.returncode == 125 and "csbx: " in err, err
        check_gone(steps)
        registry.bytes_per_s = None
        assert steps.ok("echo", "whole", image=registry.uri(), env=env) == "whole\n"


@pytest.fixture(scope="session")
def waiting_image(session_dir):
    """Its entry point leaves something in the background, and comes to no end where $WAIT is set."""
    entry = ["/bin/sh", "-c", '/bin/sh -c "sleep 7777; true" & [ -z "$WAIT" ] || sleep 7777; exec "$@"', "entry"]
    layout = session_dir / "waiting-layout"
    images.busybox_image({"Entrypoint": entry, "Env": [images.PATH_ENV]}).write_oci(layout)
    return harness.import_once(session_dir, layout, "waiting")


@pytest.mark.parametrize("how", ["job", "kill"])
def test_an_entry_point_that_hangs(steps, waiting_image, how):
    p = steps.jobs.popen("srun", "-n2", "--container-entrypoint", "--container-env=WAIT",
                         f"--container-image={waiting_image}", "true", env={"WAIT": "yes"})
    until(lambda: len(running("sleep 7777")) >= 2, "the entry point")
    end_step(steps, p, how)
    p.communicate(timeout=PROMPT_S)
    assert p.returncode
    until(lambda: not steps.jobs.cluster.jobs(), "the job's end", PROMPT_S)
    check_gone(steps)


def test_what_an_entry_point_leaves(steps, waiting_image):
    """It ends with the container."""
    out = steps.ok("-n2", "--container-entrypoint", "sh", "-c", "echo inside", image=waiting_image)
    assert out == "inside\ninside\n"
    check_gone(steps)


def begin(steps, *flags, image=True):
    """A step whose one task runs until it is ended."""
    flags = [*flags, f"--container-image={steps.image}"] if image else flags
    p = steps.jobs.popen("srun", "-n1", "-w", steps.node, *flags, "sh", "-c",
                         "echo up $SLURM_JOB_ID; echo mine >/mine 2>/dev/null; read x; ls /usr/bin >/dev/null && cat /mine",
                         stdin=subprocess.PIPE)
    line = p.stdout.readline()
    assert line.startswith("up "), (line, p.communicate(timeout=SLOW_S))
    return p, int(line.split()[1])


def go_on(p):
    out, err = p.communicate("\n", timeout=SLOW_S)
    return p.returncode, out, err


@pytest.mark.parametrize("daemon", ["lives", "dies"])
def test_a_holder_that_is_killed(steps, daemon):
    """The step's end removes what the killed holder should have removed; if the step's end was killed too, the next
    step does."""
    importer = steps.jobs.box.work / "importer"
    importer.write_text(f"#!/bin/sh\necho \"$1\" >>{importer}.calls\n[ \"$1\" = release ] || echo {steps.image}\n")
    importer.chmod(0o755)
    calls = steps.jobs.box.work / "importer.calls"
    plugstack(steps.jobs.cluster, f"importer={importer}")
    steps.image = "docker://an/image"
    p, job = begin(steps, "--container-save=x.sqsh")
    assert f"pyxis_{job}.0.0" in steps.jobs.ok("csbx", "list", "-q") and steps.left()
    daemons = running(f"slurmstepd: [{job}.0]") if daemon == "dies" else []
    harness.kill_all(daemons + running(" __hold "))
    if daemon == "dies":
        harness.kill_all(pid for pid in running("read x") if pid != p.pid)
        steps.jobs.cluster.cancel_all()
        p.kill()
        p.communicate()
        assert [d.name for d in steps.left()] == [f"{job}.0.0"]
    else:
        err = go_on(p)[2]
        assert "csbx: --container-save: not saved, the container's holder was killed" in err, err
        until(lambda: calls.read_text().split() == ["get", "release"], "the importer's release")
        until(lambda: not steps.left(), "the step's directory")
    assert steps.ok("echo", "next") == "next\n"
    assert not steps.left() and steps.jobs.ok("csbx", "list", "-q") == ""
    assert not (steps.jobs.box.work / "x.sqsh").exists()
    steps.jobs.ok("csbx", "gc")


class Holder:
    """csbx __hold, with this test in slurmstepd's place."""

    def __init__(self, box, directory, *words):
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(SLOW_S)
        with theirs:
            self.process = box.popen("__hold", "--job=7", "--tasks=1", *words, directory, text=True, pass_fds=[3],
                                     preexec_fn=lambda: os.dup2(theirs.fileno(), 3))
        assert self.socket.recv(1) == b"r"
        until((directory / "state").exists, "the container")

    def end(self, *, killed):
        if killed:
            self.process.kill()
        self.socket.shutdown(socket.SHUT_WR)
        said = b"".join(iter(lambda: self.socket.recv(1), b""))
        self.socket.close()
        out = self.process.communicate(timeout=SLOW_S)
        assert said == (b"" if killed else b"d"), (said, out)


def test_a_step_that_has_been_there(csbx, busybox_image):
    """A step of a requeued job: the files of the killed holder of its first life are in no other holder's way."""
    top = csbx.work / "steps"  # as on a node: not in a directory of csbx's own, from which it mounts nothing
    top.mkdir(mode=0o700)
    os.chown(top, csbx.owner.pw_uid, csbx.owner.pw_gid)
    for killed in (True, True, False):
        Holder(csbx, top / "7.0.0", f"--image={busybox_image}", f"--save={csbx.work}/x.sqsh").end(killed=killed)
        until(lambda: not running("/run/csbx-hold"), "the container's end")
        assert sorted(x.name for x in top.iterdir()) == [".lock"] + ["7.0.0"] * killed
        assert csbx.ok("list", "-q").split() == ["pyxis_7.0.0"] * killed
    (top / ".lock").unlink()
    top.rmdir()
    csbx.ok("gc")


def test_two_jobs_and_one_name(steps):
    """The second joins the first's container. Whichever is cancelled, the other one goes on, and a third finds the name."""
    name = ["--container-name=shared"]
    for cancelled in (0, 1):
        two = [begin(steps, *name), begin(steps, *name)]
        assert len({job for _, job in two}) == 2
        steps.jobs.cancel(two[cancelled][1])
        assert two[cancelled][0].wait(SLOW_S) != 0
        two[cancelled][0].communicate()
        until(lambda job=two[cancelled][1]: job not in steps.jobs.cluster.jobs(), "the job's end")
        code, out, err = go_on(two[1 - cancelled][0])
        assert (code, out) == (0, "mine\n") and "csbx" not in err, err
        until(lambda: not steps.jobs.cluster.jobs(), "the other job's end")
        assert steps.ok("-w", steps.node, "--container-name=shared", "cat", "/mine", image=None) == "mine\n"
    steps.jobs.ok("csbx", "remove", "-f", "pyxis_shared")


@pytest.fixture
def others(where, python_image):
    """A second user of the same node."""
    box = harness.Sandbox(top=os.environ.get("TMPDIR"), user="csbx-test2")
    try:
        s = Steps(submitted.Jobs(box, where), python_image, where.top / "steps")
        s.node = where.nodes[0]
        yield s
    finally:
        left = box.leftovers()
        box.close()
    assert not left, left


def test_two_users_and_one_name(steps, others):
    """Two users share nothing, with the plugin or without; neither the end of one's job nor its clean-up touches the
    other."""
    name = "--container-name=same"
    for x in (steps, others):
        x.jobs.ok("csbx", "create", "-n", "py", x.image)
    with_plugin = [begin(x, name) for x in (steps, others)]
    plain = [x.jobs.popen("srun", "-w", x.node, "csbx", "start", "-w", "py", "sh", "-c",
                          "echo up; echo $SLURM_JOB_ID >/mine; read x; cat /mine", stdin=subprocess.PIPE)
             for x in (steps, others)]
    for p in plain:
        assert p.stdout.readline() == "up\n", p.communicate(timeout=SLOW_S)
    theirs = [d for d in steps.left() if d.owner() == "csbx-test2"]
    mine = [d for d in steps.left() if d.owner() == "csbx-test"]
    assert len(theirs) == len(mine) == 1
    p = steps.jobs.run("csbx", "join", theirs[0], "--", "id")
    assert p.returncode == 125 and "Permission denied" in p.stderr, steps.jobs.told(p)
    steps.fails("-w", steps.node, "--container-name=never:exec", "true", image=None, says="the container is not running")

    for p, job in with_plugin[:1]:
        steps.jobs.cancel(job, "--signal=KILL", "--full")
        assert p.wait(SLOW_S) != 0
        p.communicate()
    p = steps.jobs.run("csbx", "gc", "--job", str(with_plugin[1][1]))  # another one's job: there is nothing to see
    assert p.returncode == 0 and "job" not in p.stdout, steps.jobs.told(p)
    out, err = plain[0].communicate("\n", timeout=SLOW_S)
    assert plain[0].returncode == 0 and out.strip().isdigit(), err
    assert go_on(with_plugin[1][0])[:2] == (0, "mine\n")
    second, err = plain[1].communicate("\n", timeout=SLOW_S)
    assert plain[1].returncode == 0 and second.strip().isdigit() and second != out, err
    for x in (steps, others):
        x.jobs.cluster.wait_idle()
        x.jobs.ok("csbx", "remove", "-f", "pyxis_same", "py")
        x.jobs.ok("csbx", "gc")
