# SPDX-License-Identifier: Apache-2.0
"""The many ways to call srun, with the plugin's flags: all tasks are inside, and get their words."""
import os

import pytest

import cluster as clusters
from plugin_steps import beside

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]


@pytest.fixture
def programs(steps):
    """Writes the file of --multi-prog."""
    def write(text):
        path = steps.jobs.box.work / "programs"
        path.write_text(text)
        path.chmod(0o644)
        return path
    return write


def test_a_program_of_its_own_for_each_task(steps, programs):
    """srun --multi-prog, in all its grammar: each of them is inside, with its words and the step's last ones."""
    conf = programs("# which rank does what\n\n0  sh -c 'ls -d /.csbx; echo zero \"$@\"' - %t \\\n'two words' \\%t\n"
                    "1-2 sh -c 'ls -d /.csbx; echo one \"$@\"' - %o\n\t* python3 -c 'import os; print(os.path.isdir(\"/.csbx\"))'\n")
    out = steps.ok("-N2", "-n4", "--multi-prog", conf, "last").splitlines()
    assert sorted(out) == ["/.csbx"] * 3 + ["True", "one 0 last", "one 1 last", "zero 0 two words %t last"], out
    assert steps.run("-n1", "--multi-prog", programs("0 sh -c 'exit 7'\n")).returncode == 7
    outside = steps.ok("-n1", "--multi-prog", programs("0 readlink /proc/self/ns/mnt\n"), image=None)
    assert outside.strip() == os.readlink("/proc/self/ns/mnt")


def test_nothing_exported(steps):
    """Neither the holder nor a task has a HOME from the login node: the node knows it."""
    box = steps.jobs.box
    keep = ",".join(f"{k}={box.env[k]}" for k in ("CSBX_RUNTIME_PATH", "CSBX_LINGER"))  # else /tmp/csbx-UID, which is others', too
    out = steps.ok("-n2", f"--export=NONE,{keep}", "sh", "-c", 'echo "$HOME"; ls -d /.csbx')
    assert sorted(out.split()) == sorted([box.owner.pw_dir, "/.csbx"] * 2)


def test_a_large_environment(steps):
    env = {f"LARGE{i}": "x" * 100000 for i in range(11)}
    out = steps.ok("-n2", "--container-env=LARGE3", "sh", "-c", "echo ${#LARGE3} ${#LARGE10}; ls -d /.csbx", env=env)
    assert sorted(out.splitlines()) == ["/.csbx"] * 2 + ["100000 100000"] * 2


def test_one_task_fails_and_takes_the_others(steps):
    p = steps.run("-n8", "--kill-on-bad-exit", "sh", "-c", '[ $SLURM_PROCID != 3 ] || exit 5; exec sleep 1000')
    assert p.returncode and "task 3: Exited with exit code 5" in p.stderr, steps.jobs.told(p)
    assert steps.ok("echo", "next") == "next\n"


def test_the_components_of_a_heterogeneous_step(steps):
    """SLURM keeps a plugin's flag for the whole of srun: every component has it, and two images are refused."""
    show = ["sh", "-c", "ls -d /.csbx"]
    out = steps.ok("-n1", *show, ":", "-n2", *show)
    assert out == "/.csbx\n" * 3
    p = steps.run("-n1", "true", ":", "--container-image=/other.sqsh", "true")
    assert p.returncode and "csbx: --container-image: specified multiple times" in p.stderr, steps.jobs.told(p)


def test_input_of_one_task(steps):
    out = steps.ok("-n3", "--input=1", "sh", "-c", 'x=$(cat); echo "$SLURM_PROCID$x"', stdin="-got\n")
    assert sorted(out.split()) == ["0", "1-got", "2"]


def test_a_terminal(steps):
    command = f"srun --pty --container-image={steps.image} sh -c 'test -t 0 && test -t 1 && ls -d /.csbx; tty'"
    out = steps.jobs.ok("script", "-qec", command, "/dev/null").split()
    assert out[-2].endswith("/.csbx") and out[-1].startswith("/dev/pts/"), out


def test_a_directory_that_is_not_there(steps):
    """The task's directory is the container's business, whatever the host has."""
    here = steps.ok("pwd")
    for there in ("/no/such", "/"):
        assert steps.ok(f"--chdir={there}", "pwd") == here
    assert steps.ok("--chdir=/no/such", "--container-workdir=/etc", "pwd") == "/etc\n"


def test_many_steps_of_one_job(steps):
    """One after the other, and many at a time, on both nodes; each makes and removes its own container."""
    step = f"srun --overlap --container-image={steps.image}"
    out = steps.jobs.ok("salloc", "-N2", "-n4", "sh", "-c", f"""
for i in 1 2 3 4 5; do {step} -n4 echo after || echo bad; done
for i in 1 2 3 4 5 6; do {step} -N1 -n1 echo beside || echo bad & done
wait
""")
    assert sorted(out.split()) == ["after"] * 20 + ["beside"] * 6, out


def test_an_array_of_containers_with_names(steps):
    work = steps.jobs.box.work
    script = work / "array.sh"
    script.write_text(f"#!/bin/sh\nsrun --container-image={steps.image} --container-name=a$SLURM_ARRAY_TASK_ID "
                      "sh -c 'echo $SLURM_ARRAY_TASK_ID >/mine; cat /mine'\n")
    steps.jobs.sbatch("--wait", "-n1", "--array=0-11%4", "-o", work / "out-%a", script)
    assert sorted(int(f.read_text()) for f in work.glob("out-*")) == list(range(12))
    names = steps.jobs.ok("csbx", "list", "-q").split()
    assert sorted(names) == sorted(f"pyxis_a{i}" for i in range(12))
    steps.jobs.ok("csbx", "remove", "-f", *names)


def test_a_mount_shows_nothing_of_the_users_steps(steps):
    """The next step believes what lies there: its own rc.local is all that a container is shown of it."""
    top = steps.runtime.parent
    out = steps.ok(f"--container-mounts={top}:/top", "sh", "-c", 'ls -A /top/steps; mkdir /top/steps/x; cat /etc/rc.local')
    assert out == 'exec "$@"\n'
    assert steps.runtime.name == "steps" and list(steps.runtime.iterdir()), "the plugin has its directory elsewhere"


@pytest.mark.parametrize("mode", ["", ":ro"])
def test_a_mount_outside_of_steps_shows_nothing_of_them(steps, mode):
    """A start that is no task is not told of runtime_path, and the user's next step believes what lies there all the same."""
    top, box = steps.runtime.parent, steps.jobs.box
    steps.ok("true")
    users = steps.runtime / str(box.owner.pw_uid)
    assert users.is_dir()
    for source, below in ((top, "steps"), (steps.runtime, "."), ("/tmp", os.path.relpath(steps.runtime, "/tmp")),
                          ("/run", "csbx-steps")):
        if not steps.runtime.is_relative_to(source) and source != "/run":
            continue
        inside = ["sh", "-c", f"cd /t/{below} && pwd; ls -A; mkdir x {users.name}/1.0.0; true"]
        if source == steps.runtime:
            box.fails("start", "--mount", f"{source}:/t{mode}", steps.image, *inside, says="which is csbx's own and is hidden")
        else:
            assert box.ok("start", "--mount", f"{source}:/t{mode}", steps.image, *inside).strip() == os.path.normpath(f"/t/{below}")
    assert not (steps.runtime / "x").exists() and not (users / "1.0.0").exists()
    box.ok("gc")
    assert users.is_dir() and steps.ok("echo", "next") == "next\n"


@pytest.mark.parametrize("was", ["nothing", "directory", "another"])
def test_the_usual_directory_names_the_sites(steps, cluster, was):
    """Made by root where it is missing, and kept: what a node without the word in plugstack.conf had there stays."""
    made = clusters.USUAL_STEPS
    cluster.forget_steps()
    if was != "nothing":
        made.mkdir(mode=0o755, exist_ok=True)
    if was == "another":
        (made / "other").symlink_to(cluster.top / "earlier")
    assert steps.ok("echo", "fine") == "fine\n"
    assert os.readlink(made / "other") == str(steps.runtime)
    assert made.stat().st_uid == (made / "other").lstat().st_uid == 0 and made.stat().st_mode & 0o7777 == 0o755


def test_the_sites_directory_is_not_made_by_a_start(steps, cluster):
    """A directory of the user's in its place would keep the plugin from making root's."""
    box, missing = steps.jobs.box, steps.jobs.box.work / "missing"
    steps.ok("true")
    (clusters.USUAL_STEPS / "other").unlink()
    (clusters.USUAL_STEPS / "other").symlink_to(missing)
    try:
        assert box.ok("start", "--mount", f"{box.work}:/t", steps.image, "ls", "/t") == ""
        assert not missing.exists()
    finally:
        (clusters.USUAL_STEPS / "other").unlink()


def test_join_by_the_steps_number(steps):
    """runtime_path is another one than the usual: the plugin tells every task of the job."""
    fifo = steps.jobs.box.work / "fifo"
    join = "csbx join $SLURM_JOB_ID.0 --"
    out = beside(steps, "", f"sh -c '{join} ls -d /.csbx; env -u HOME {join} sh -c \"env | grep -c SPANK\"; echo go >{fifo}'")
    assert sorted(out.split()) == ["/.csbx", "0", "go"]


@pytest.mark.parametrize("steps_dir,says", [
    ("/tmp", "no step of yours has a container on this node under /tmp/"), ("relative", "has a container on this node under /run/csbx-steps/"),
    ("{work}", "is not your own, closed directory")])
def test_join_where_there_is_nothing(steps, steps_dir, says):
    """csbx does not believe the directory that the variable names."""
    box = steps.jobs.box
    made = box.work / str(box.owner.pw_uid) / "7.0.0"
    made.mkdir(parents=True)
    os.chmod(made, 0o755)
    os.chown(made, box.owner.pw_uid, box.owner.pw_gid)
    box.fails("join", "7.0", "true", env={"SPANK_CSBX_STEPS": steps_dir.format(work=box.work)}, says=says)
