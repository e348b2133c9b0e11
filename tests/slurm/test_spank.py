# SPDX-License-Identifier: Apache-2.0
"""The SPANK plugin: srun and sbatch with pyxis's flags, in job steps of a real SLURM."""
import os
import signal
from pathlib import Path

import pytest

import cluster as clusters
import harness
import images
import jobs as submitted
import tinyregistry
from plugin_steps import beside, plugstack, running

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]

NAMESPACES = "import os\nprint(*(os.readlink('/proc/self/ns/' + n) for n in ('user', 'mnt')))\n"
# Limits and places that SLURM gives a task and that a container must not change.
LIMITS = """
import os, resource, signal
for name in sorted(n for n in dir(resource) if n.startswith('RLIMIT_')):
    print(name, resource.getrlimit(getattr(resource, name)))
print('cpus', sorted(os.sched_getaffinity(0)))
print('cgroup', open('/proc/self/cgroup').read())
print('oom', open('/proc/self/oom_score_adj').read().strip())
print('nice', os.nice(0), 'umask', oct(os.umask(0)))
print('prolog', os.environ.get('FROM_PROLOG'))
print('ids', os.getresuid(), os.getresgid())
for line in open('/proc/self/status'):
    if line.startswith(('SigBlk', 'SigIgn', 'Cpus_allowed_list')):
        print(line.strip())
print('parent', open(f'/proc/{os.getppid()}/comm').read().strip())
"""


def test_tasks_share_one_container(steps):
    out = steps.ok("-n4", "python3", "-c", NAMESPACES).splitlines()
    assert len(out) == 4 and len(set(out)) == 1, out
    here = " ".join(os.readlink(f"/proc/self/ns/{n}") for n in ("user", "mnt"))
    assert out[0] != here


def test_pmi2_reaches_slurm(steps):
    """The first words of PMI-2, answered by slurmstepd on the descriptor that PMI_FD names."""
    talk = ("import os; fd = int(os.environ['PMI_FD']); os.write(fd, b'cmd=init pmi_version=2 pmi_subversion=0\\n');"
            "print(os.environ['PMI_RANK'], fd, os.read(fd, 200).decode().split()[:2], sorted(os.listdir('/proc/self/fd'))[:4])")
    out = steps.ok("--mpi=pmi2", "-n2", "python3", "-c", talk).splitlines()
    assert sorted(out) == [f"{rank} 3 ['cmd=response_to_init', 'rc=0'] ['0', '1', '2', '3']" for rank in (0, 1)], out


def test_the_image_server_goes_with_the_step(steps, cluster):
    """It leaves by itself, before SLURM kills what is left of a step: a killed one could not remove its socket."""
    servers = steps.jobs.box.dirs["run"] / "servers"
    steps.ok("-n2", "true", env={"CSBX_LINGER": ""})
    cluster.wait_idle()
    assert servers.is_dir() and os.listdir(servers) == []


def test_the_image_server_of_a_save_goes_too(steps):
    """Long before the minute it would stay for another container's sake."""
    box = steps.jobs.box
    servers = box.dirs["run"] / "servers"
    steps.ok("-N1", "-n1", "--container-save=saved.sqsh", "true", env={"CSBX_LINGER": ""})
    assert (box.work / "saved.sqsh").exists()
    clusters.poll(lambda: servers.is_dir() and not os.listdir(servers), "the servers' end", 20)


def test_each_node_has_its_own(steps):
    out = steps.ok("-N2", "-n4", "python3", "-c", NAMESPACES).splitlines()
    assert len(out) == 4 and len(set(out)) == 2, out


def test_a_task_is_what_slurm_made_it(steps):
    box = steps.jobs.box
    prolog = box.work / "prolog"
    prolog.write_text("#!/bin/sh\necho export FROM_PROLOG=yes\n")
    prolog.chmod(0o755)
    (box.work / "limits.py").write_text(LIMITS)
    flags = ["-c2", "--cpu-bind=map_cpu:1", f"--task-prolog={prolog}"]
    limited = ["bash", "-c", 'ulimit -Sn 777; ulimit -f 100000; umask 027; exec "$@"', "-"]
    mount = f"--container-mounts={box.work}:/w"
    run = steps.jobs.run
    outside = run(*limited, "srun", *flags, "python3", box.work / "limits.py")
    inside = run(*limited, "srun", *flags, mount, f"--container-image={steps.image}", "python3", "/w/limits.py")
    assert outside.returncode == inside.returncode == 0, steps.jobs.told(inside)

    def told(p):  # a job's and a step's number are in the group's path
        return [line for line in p.stdout.splitlines() if "step_" not in line]
    assert told(outside) == told(inside)
    assert "prolog yes" in inside.stdout and "(777, " in inside.stdout


def test_what_protects_a_task(steps):
    out = steps.ok("grep", "-E", "^(NoNewPrivs|Seccomp|CapEff|CapBnd):", "/proc/self/status").split()
    assert out == ["CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1", "Seccomp:", "2"]


@pytest.mark.parametrize("command,code", [
    (["sh", "-c", "exit 7"], 7),
    (["sh", "-c", "kill -9 $$"], 137),
    (["no-such-program"], 127),
    (["/etc/passwd"], 126),
])
def test_exit_codes(steps, command, code):
    p = steps.run(*command)
    assert p.returncode == code, steps.jobs.told(p)


def test_streams(steps):
    p = steps.run("sh", "-c", "cat; echo problem >&2", stdin="hello\n")
    assert (p.returncode, p.stdout) == (0, "hello\n") and "problem" in p.stderr


@pytest.mark.parametrize("flags,says", [
    (["--container-image=/no/such.sqsh"], "csbx: --container-image: /no/such.sqsh: No such file or directory"),
    (["--container-image=ftp://x/y"], "csbx: --container-image: unknown scheme: ftp://x/y"),
    (["--container-name=never-made"], 'csbx: a container with name "pyxis_never-made" does not exist, and '
                                      "--container-image is not set"),
    (["--container-name=x:exec"], '"exec" flag was passed to --container-name but the container is not running'),
    (["--container-name=x:y"], 'csbx: --container-name: flag must be "auto", "create", "exec" or "no_exec"'),
    (["--container-workdir=/w"], "csbx: --container-workdir: neither --container-image nor --container-name is set"),
])
def test_what_cannot_be(steps, flags, says):
    steps.fails(*flags, "true", image=None, says=says)


@pytest.mark.parametrize("flags,says", [
    (["--container-mounts=/no/such:/x"], "csbx: --container-mounts: /no/such: No such file or directory"),
    (["--container-mounts=:"], "csbx: --container-mounts: invalid format: :"),
    (["--container-mounts=/tmp:/x:bogus"], "bogus"),
    (["--container-writable", "--container-readonly"],
     "csbx: both --container-writable and --container-readonly were specified"),
    (["--container-mount-home", "--no-container-mount-home"],
     "csbx: both --container-mount-home and --no-container-mount-home were specified"),
    (["--container-unshare=pid"], 'csbx: --container-unshare: unknown namespace "pid"'),
    (["--container-save=dir/"], "csbx: --container-save: target is a directory"),
    (["--container-workdir=/no/such/dir"], "/no/such/dir"),
])
def test_flags_that_cannot_be(steps, flags, says):
    steps.fails(*flags, "true", says=says)


def test_a_file_without_a_slash(steps):
    """It is an image of a registry, as in pyxis: the message says how the file is named."""
    (steps.jobs.box.work / "own.sqsh").write_bytes(b"")
    steps.fails("true", image="127.0.0.1:1/own.sqsh", code=125, says="could not import docker://127.0.0.1:1/own.sqsh: ")
    steps.fails("true", image="own.sqsh", code=125, says="(the file of that name is ./own.sqsh)",
                env={"https_proxy": "http://127.0.0.1:1"})


def test_a_refusal_is_told_once_a_node(steps):
    p = steps.fails("-n4", "true", image="/no/such.sqsh", code=125, says="No such file")
    assert p.stderr.count("No such file") == 1, p.stderr


def test_an_image_that_is_none(steps):
    (steps.jobs.box.work / "x.sqsh").write_text("no image")
    steps.fails("true", image="./x.sqsh", code=125, says="csbx: the container could not be started")


def test_mounts_and_directory(steps):
    d = steps.jobs.box.work / "some dir"
    d.mkdir()
    (d / "f").write_text("from the host\n")
    os.chown(d, *[steps.jobs.box.identity()[k] for k in ("user", "group")])
    out = steps.ok(f"--container-mounts={d}:/w:ro,{d}:/rw,tmpfs:/t", "--container-workdir=/w", "sh", "-c",
                   "pwd; cat f; touch x 2>/dev/null || echo read-only; echo new >/rw/new; touch /t/x && echo tmpfs")
    assert out == "/w\nfrom the host\nread-only\ntmpfs\n"
    assert (d / "new").read_text() == "new\n"


def test_home(steps):
    home = steps.jobs.box.env["HOME"]
    (Path(home) / "mine").write_text("at home\n")
    assert steps.ok("--container-mount-home", "cat", f"{home}/mine") == "at home\n"
    assert steps.run("--no-container-mount-home", "cat", f"{home}/mine").returncode == 1


def test_root_is_read_only_unless_asked(steps):
    assert "Read-only" in steps.run("touch", "/x").stderr
    assert steps.ok("--container-writable", "sh", "-c", "touch /x && echo written") == "written\n"
    assert steps.run("ls", "/x").returncode == 1  # and nothing of it stays


def test_remapped_root(steps):
    assert steps.ok("--container-remap-root", "id", "-u") == "0\n"
    assert steps.ok("--no-container-remap-root", "id", "-u") == f"{steps.jobs.box.identity()['user']}\n"


def test_environment(steps):
    env = {"OWN": "of the job", "LANG": "xx_XX", "PATH": f"{steps.jobs.env['PATH']}:/job", "SECOND": "a\nb 'c'"}
    show = "import os\nfor n in ('OWN', 'SECOND', 'LANG', 'PATH', 'SLURM_PROCID'): print(repr(os.environ.get(n)))"
    out = steps.ok("-n1", "python3", "-c", show, env=env).splitlines()
    assert out[0] == "'of the job'" and eval(out[1]) == env["SECOND"]  # pylint: disable=eval-used
    assert out[2] == "'C.UTF-8'" and "/job" not in out[3], "the image wins"
    assert out[4] == "'0'"
    out = steps.ok("--container-env=PATH,LANG", "/usr/bin/python3", "-c", show, env=env).splitlines()
    assert out[2] == "'xx_XX'" and "/job" in out[3], "but where it was asked not to"


def test_each_task_keeps_its_own_variables(steps):
    out = steps.ok("-n4", "sh", "-c", "echo $SLURM_PROCID $SLURM_LOCALID")
    assert sorted(out.splitlines()) == [f"{i} {i}" for i in range(4)]


def test_variables_of_pyxis(steps):
    env = {"PYXIS_CONTAINER_IMAGE": str(steps.image), "PYXIS_CONTAINER_REMAP_ROOT": "yes"}
    assert steps.ok("id", "-u", image=None, env=env) == "0\n"
    assert steps.ok("--no-container-remap-root", "id", "-u", image=None, env=env) != "0\n", "the command line wins"
    steps.fails("true", image=None, env={**env, "PYXIS_CONTAINER_REMAP_ROOT": "maybe"},
                says="csbx: PYXIS_CONTAINER_REMAP_ROOT: neither yes nor no: maybe")


def test_a_name_outlives_its_step(steps):
    run = ["-w", "n1", "-N1"]
    steps.ok(*run, "--container-name=kept", "sh", "-c", "echo first >/made")
    assert steps.ok(*run, "--container-name=kept", "cat", "/made", image=None) == "first\n"
    readonly = [*run, "--container-name=kept", "--container-readonly"]
    assert steps.ok(*readonly, "sh", "-c", "cat /made; touch /made 2>/dev/null || echo no", image=None) == "first\nno\n"
    steps.fails(*run, "--container-name=kept:create", "true", code=125,
                says='"create" flag was passed to --container-name but the container already exists')
    assert "pyxis_kept" in steps.jobs.ok("csbx", "list")
    steps.jobs.ok("csbx", "remove", "-f", "pyxis_kept")


def test_a_step_joins_a_running_name(steps):
    """A second step in the first one's container, which ends before it."""
    fifo = steps.jobs.box.work / "fifo"
    out = beside(steps, "--container-name=busy", "--container-name=busy:exec sh -c '"
                 f"ls -d /.csbx; echo go >{fifo}; for i in 1 2 3 4 5; do ls /usr/bin >/dev/null || exit 3; sleep 0.3; done; "
                 "echo joined'")
    assert sorted(out.split()) == ["/.csbx", "go", "joined"]
    steps.jobs.ok("csbx", "remove", "-f", "pyxis_busy")


@pytest.mark.parametrize("flags,code,says", [
    ("--container-unshare=ipc", 125, 'csbx: --container-unshare: the container "pyxis_used" is running without a ipc namespace'),
    ("--container-save=x.sqsh", 125, 'csbx: --container-save: the container "pyxis_used" is running'),
    ("--container-remap-root", 0, "csbx: --[no-]container-remap-root: of no effect, the container runs"),
])
def test_flags_for_a_container_that_runs(steps, flags, code, says):
    """csbx refuses a namespace that was asked for and is not there, and warns of flags that do not matter."""
    fifo = steps.jobs.box.work / "fifo"
    err = steps.jobs.box.work / "err"
    out = beside(steps, "--container-name=used", f"--container-name=used {flags} true 2>{err}; echo $?; echo go >{fifo}")
    assert out == f"{code}\ngo\n"
    assert says in err.read_text() and "csbx: csbx:" not in err.read_text(), err.read_text()
    steps.jobs.ok("csbx", "remove", "-f", "pyxis_used")


@pytest.mark.parametrize("variable", ["CSBX_MEMORY=64m", "CSBX_TIMEOUT=60", "CSBX_ENROOT_PROFILE=sandbox"])
def test_limits_of_csbxs_own(steps, variable):
    """They need a supervisor, which a container that tasks join has not: the step says which setting it was."""
    name, value = variable.split("=")
    p = steps.fails("-n2", "true", env={name: value}, code=125, says=f"csbx: {name}: a container with limits")
    assert p.stderr.count("csbx: ") == 1, p.stderr
    assert steps.ok("echo", "fine") == "fine\n"


def test_an_image_of_a_registry(steps, cluster):
    """Imported once a node and step, by the holder: no file of it stays, and its layers are fetched once."""
    with tinyregistry.Registry() as registry:
        registry.put("1", images.busybox_image())
        env = {"CSBX_INSECURE_REGISTRY": registry.host}
        show = ["-n4", "sh", "-c", "ls -d /.csbx"]
        assert steps.ok(*show, image=f"docker://{registry.host}/app:1", env=env) == "/.csbx\n" * 4
        fetched = registry.count("GET", "blob")
        assert steps.ok(*show, image=f"{registry.host}#app:1", env=env) == "/.csbx\n" * 4
        assert fetched and registry.count("GET", "blob") == fetched
        p = steps.fails("true", image=f"{registry.host}/app:none", env=env, code=125,
                        says=f"csbx: could not import docker://{registry.host}/app:none: ")
        assert p.stderr.count("csbx: ") == 1 and "[ERROR]" not in p.stderr, p.stderr
    cluster.wait_idle()
    assert not list((steps.jobs.box.dirs["cache"] / "steps").glob("*.sqsh"))


def test_join_by_hand(steps):
    """csbx join STEP COMMAND from another step of the job."""
    fifo = steps.jobs.box.work / "fifo"
    here = f"{steps.runtime}/$(id -u)/$SLURM_JOB_ID.0.0"
    out = beside(steps, "", f"sh -c 'ls -d /.csbx 2>/dev/null; csbx join {here} -- ls -d /.csbx; echo go >{fifo}'")
    assert sorted(out.split()) == ["/.csbx", "go"]
    p = steps.jobs.run("srun", "-n1", "csbx", "join", "99999.0", "--", "true")
    assert p.returncode == 125 and "join 99999.0: no step of yours has a container on this node" in p.stderr, p.stderr


def test_save(steps):
    saved = steps.jobs.box.work / "saved.sqsh"
    steps.ok("-N1", "-n2", "--container-writable", "--container-save=saved.sqsh", "sh", "-c",
             "echo content >/made-$SLURM_PROCID")
    assert steps.ok("cat", "/made-0", "/made-1", image=saved) == "content\ncontent\n"
    assert "pyxis" not in steps.jobs.ok("csbx", "list")


def test_a_save_goes_where_it_was_asked_for(steps):
    """A task puts a link into the place of the directory, which lies in a mount of its own."""
    box = steps.jobs.box
    for name in ("there/sub", "other"):
        steps.jobs.ok("mkdir", "-p", box.work / name)
    (box.work / "other/saved.sqsh").write_text("the caller's")
    script = f"mv /there/sub /there/was && ln -s {box.work}/other /there/sub && echo moved"
    out = steps.ok("-N1", "-n1", "--container-writable", f"--container-mounts={box.work}/there:/there",
                   f"--container-save={box.work}/there/sub/saved.sqsh", "sh", "-c", script)
    assert out == "moved\n" and (box.work / "other/saved.sqsh").read_text() == "the caller's"
    assert steps.ok("echo", "ran", image=box.work / "there/was/saved.sqsh") == "ran\n"
    p = steps.run("-N1", "-n1", f"--container-save={box.work}/none/x.sqsh", "true")
    assert p.returncode and f"--container-save: {box.work}/none/" in p.stderr and "No such file" in p.stderr, p.stderr


def test_no_save_of_a_container_that_never_was(steps):
    p = steps.run("-n2", "--container-save=x.sqsh", "--container-mounts=/no/such:/x", "true")
    assert p.returncode and not (steps.jobs.box.work / "x.sqsh").exists()


def test_unshare(steps):
    assert steps.ok("--container-unshare=net", "ls", "/sys/class/net") == "lo\n"
    show = "import os\nprint(*(os.readlink('/proc/self/ns/' + n) for n in ('net', 'ipc', 'uts')))\n"
    shared = steps.ok("python3", "-c", show).split()
    own = steps.ok("--container-unshare=net,ipc,uts", "python3", "-c", show).split()
    assert shared == [os.readlink(f"/proc/self/ns/{n}") for n in ("net", "ipc", "uts")]
    assert not set(shared) & set(own)


def test_cancelled_step(steps, cluster):
    """scancel while a task runs: nothing of the step stays."""
    p = steps.jobs.popen("srun", f"--container-image={steps.image}", "sh", "-c", "echo up; exec sleep 1000")
    try:
        assert p.stdout.readline() == "up\n"
        job = next(iter(cluster.jobs()))
        steps.jobs.cancel(job)
        assert p.wait(60) != 0
    finally:
        p.kill()
        p.communicate()
    cluster.wait_idle()


def test_a_killed_step_daemon_leaves_no_container(steps, cluster):
    """SLURM decides what becomes of the task; the container's holder does not wait for it."""
    p = steps.jobs.popen("srun", f"--container-image={steps.image}", "sh", "-c", "echo up; exec sleep 12345")
    try:
        assert p.stdout.readline() == "up\n"
        job = next(iter(cluster.jobs()))
        daemons = running(f"slurmstepd: [{job}.0]")
        assert daemons and running(" __hold ") and running("/run/csbx-hold")
        for d in daemons:
            os.kill(d, signal.SIGKILL)
        clusters.poll(lambda: not running(" __hold ") and not running("/run/csbx-hold"), "the holder's end", 60)
    finally:
        for task in running("sleep 12345"):
            os.kill(task, signal.SIGKILL)
        p.kill()
        p.communicate()
    steps.jobs.cancel(job)
    cluster.wait_idle()


@pytest.fixture(scope="session")
def entry_image(session_dir):
    entry = ["/bin/sh", "-c", 'echo from the entry point; export ENTRY=yes; exec "$@"', "entry"]
    config = {"Entrypoint": entry, "Env": [images.PATH_ENV], "WorkingDir": "/root"}
    layout = session_dir / "entry-layout"
    images.python_image(config).write_oci(layout)
    return harness.import_once(session_dir, layout, "entry")


def test_entry_point(steps, entry_image):
    show = ["sh", "-c", "echo ${ENTRY:-none}"]
    assert steps.ok(*show, image=entry_image) == "none\n"
    p = steps.run("-n2", "--container-entrypoint", *show, image=entry_image)
    assert p.stdout == "yes\nyes\n" and "entry point" not in p.stderr, steps.jobs.told(p)
    p = steps.run("-n2", "--container-entrypoint", "--container-entrypoint-log", *show, image=entry_image)
    assert p.stderr.count("from the entry point") == 1, steps.jobs.told(p)


def test_entry_point_by_default_of_the_site(site, jobs, entry_image):
    site("execute_entrypoint=1")
    show = ["sh", "-c", "echo ${ENTRY:-none}"]
    assert jobs.srun(f"--container-image={entry_image}", *show) == "yes\n"
    assert jobs.srun(f"--container-image={entry_image}", "--no-container-entrypoint", *show) == "none\n"


def test_batch_script(steps, cluster):
    script = steps.jobs.box.work / "batch.sh"
    script.write_text("#!/bin/sh\nls -d /.csbx; id -u\n")
    job = steps.jobs.sbatch(f"--container-image={steps.image}", "-o", steps.jobs.box.work / "out", script)
    fields = cluster.wait_job(job)
    out = (steps.jobs.box.work / "out").read_text()
    assert fields["JobState"] == "COMPLETED" and out.startswith("/.csbx\n"), (fields, out)


def test_names_that_go_with_their_job(csbx, python_image):
    """slurmd reads plugstack.conf when it starts, so this cluster is one of its own."""
    own = clusters.Cluster(nodes=("n1",))
    plugstack(own, "container_scope=job")
    with own:
        jobs = submitted.Jobs(csbx, own)
        jobs.ok("salloc", "-n1", "sh", "-c",
                f"srun --container-image={python_image} --container-name=mine sh -c 'echo kept >/f' && "
                "srun --container-name=mine cat /f && csbx list | grep -c pyxis_$SLURM_JOB_ID_")
        clusters.poll(lambda: "pyxis_" not in jobs.ok("csbx", "list"), "the epilog", 60)
        # The user has opened the directory: the epilog refuses it, and the node is not drained for it.
        jobs.ok("salloc", "-n1", "sh", "-c", f"srun --container-image={python_image} --container-name=mine true && "
                f"chmod 755 {own.top}/steps/$(id -u)")
        own.wait_idle()
        assert "is not your own, closed directory" in own.log("n1", 400), own.log("n1")
        jobs.ok("srun", f"--container-image={python_image}", "true")
        assert not jobs.settle()
        jobs.ok("csbx", "remove", "-f", *[n for n in jobs.ok("csbx", "list", "-q").split() if n.startswith("pyxis_")])


def test_importer(site, jobs, python_image):
    work = jobs.box.work
    importer = work / "importer"
    importer.write_text(f"#!/bin/sh\necho \"$@\" >>{work}/calls\n[ \"$1\" = release ] || echo {python_image}\n")
    importer.chmod(0o755)
    site(f"importer={importer}")
    assert jobs.srun("--container-image=some/image:tag", "ls", "-d", "/.csbx") == "/.csbx\n"
    clusters.poll(lambda: "release" in (work / "calls").read_text(), "the release", 30)
    assert (work / "calls").read_text().splitlines()[0] == "get docker://some/image:tag"


def test_a_node_without_csbx(site, jobs, python_image):
    """The failure comes before there is a task: srun would end with 0, and the command must not run outside."""
    site("csbx_path=/no/such/csbx")
    p = jobs.run("srun", "-n2", f"--container-image={python_image}", "echo", "outside")
    assert p.returncode and "outside" not in p.stdout, jobs.told(p)
    assert p.stderr.count("csbx: /no/such/csbx: No such file or directory") == 1, jobs.told(p)


@pytest.mark.parametrize("words", ["colour=red", "container_scope=all", "runtime_path=relative"])
def test_plugstack_words_that_are_none(site, jobs, cluster, words):
    site(words)
    p = jobs.run("srun", "true")
    assert p.returncode and f"csbx: plugstack.conf: {words}" in p.stderr, jobs.told(p)
    cluster.check_alive()


def test_hostile_values_do_not_harm_the_daemons(steps, cluster):
    for value in ("%s%n", "a" * 60000, "$(reboot)", "../../etc/passwd", "-h"):
        for flag in ("image", "mounts", "name", "env", "save", "workdir"):
            if len(value) > 1000 and flag != "mounts":
                continue
            p = steps.run(f"--container-{flag}={value}", "true", image=None if flag == "image" else True)
            assert p.returncode != 139, (flag, value)
    cluster.check_alive()
    assert steps.ok("echo", "fine") == "fine\n"


def test_steps_without_a_container_are_left_alone(steps):
    assert steps.ok("readlink", "/proc/self/ns/mnt", image=None).strip() == os.readlink("/proc/self/ns/mnt")
