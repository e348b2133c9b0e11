#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A SLURM cluster on this machine: munged, slurmctld and slurmds, in a directory of their own.

    with Cluster() as c:                    # the tests: everything ends with the process that started it
        c.set_plugstack("required /usr/lib/csbx/csbx_spank.so\n")
        subprocess.run(["srun", "-N2", "true"], env={**os.environ, **c.env})

    tests/slurm/cluster.py start DIR        # by hand, as root; prints the variables a client needs
    tests/slurm/cluster.py stop DIR

The daemons are root's, as on a real cluster, so that jobs run as the user who submits them. Both nodes
are this host: they differ by name and port and offer 16 CPUs each whatever the machine has. The cluster touches no file
outside DIR but /run/csbx-steps/other, which names the steps' directory of the cluster that had the last step, and
disturbs no other SLURM on the machine: it picks its ports at random.
"""
import ctypes
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

START_S = 90  # for daemons to start or end, on a loaded machine
PORTS = range(20000, 30000)  # below what the kernel hands out by itself
PR_SET_PDEATHSIG = 1
USUAL_STEPS = Path("/run/csbx-steps")  # where the plugin says that it has its directory elsewhere
DAEMONS = ("munged", "slurmctld", "slurmd", "slurmstepd")
SBIN = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"

OPTIONS = {
    "ClusterName": "csbx", "SlurmUser": "root", "SlurmdUser": "root",
    "AuthType": "auth/munge", "CryptoType": "crypto/munge",
    "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/affinity",
    "JobAcctGatherType": "jobacct_gather/none", "AccountingStorageType": "accounting_storage/none",
    "JobCompType": "jobcomp/none", "MpiDefault": "none", "SwitchType": "switch/none",
    "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU",
    "SlurmdParameters": "config_overrides",  # more CPUs than the machine has
    "SchedulerParameters": "sched_interval=1,bf_interval=1,sched_min_interval=0,batch_sched_delay=0",
    "JobRequeue": "1", "ReturnToService": "2", "KillWait": "2", "MailProg": "/bin/true",
    "MessageTimeout": "60", "BatchStartTimeout": "60", "SlurmdTimeout": "300", "UnkillableStepTimeout": "180",
    "OverTimeLimit": "0", "CompleteWait": "0", "PropagateResourceLimits": "ALL",
}


# Processes are tracked, and memory, CPUs and devices limited, by control groups of version 1.
CGROUPS = Path("/sys/fs/cgroup")
CGROUP_OPTIONS = {
    "ProctrackType": "proctrack/cgroup", "TaskPlugin": "task/affinity,task/cgroup",
    "JobAcctGatherType": "jobacct_gather/cgroup", "SelectTypeParameters": "CR_CPU_Memory", "DefMemPerNode": "500",
}
CGROUP_CONF = f"""CgroupPlugin=cgroup/v1
CgroupMountpoint={CGROUPS}
CgroupAutomount=no
ConstrainCores=yes
ConstrainDevices=yes
ConstrainRAMSpace=yes
"""
CONTROLLERS = ("freezer", "cpuset", "memory", "devices", "cpuacct")


class ClusterError(Exception):
    pass


def cgroups_lacking():
    """Controllers of version 1 that root cannot make groups of here."""
    return [c for c in CONTROLLERS if not os.access(CGROUPS / c / "tasks", os.W_OK)]


def missing_programs():
    return [p for p in ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol") if not shutil.which(p, path=SBIN)]


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def is_free(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("", port))
        except OSError:
            return False
    return True


def free_ports(n):
    ports = []
    while len(ports) < n:
        port = random.choice(PORTS)
        if port not in ports and is_free(port):
            ports.append(port)
    return ports


def poll(condition, what, timeout_s=START_S):
    """Waits for a condition that only polling can tell; returns its value."""
    deadline = time.monotonic() + timeout_s
    pause_s = 0.02
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise ClusterError(f"{what}: not after {timeout_s} s")
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.5, 0.3)
    return value


class Cluster:
    """
    options: lines of slurm.conf that replace or add to OPTIONS; tied: the daemons die with this process;
    cgroups: SLURM makes control groups, called slurm_NODE, which is a name for the whole machine.
    """

    def __init__(self, top=None, nodes=("n1", "n2"), options=None, plugstack="", cpus=16, tied=True, cgroups=False):
        self.top = Path(top or tempfile.mkdtemp(prefix="csbx-slurm.", dir="/tmp"))
        self.nodes, self.cpus, self.tied = tuple(nodes), cpus, tied
        self.cgroups = cgroups
        self.options = {**OPTIONS, **(CGROUP_OPTIONS if cgroups else {}), **(options or {})}
        self.daemons = {}  # name -> Popen
        self.ports = []
        self.conf = self.top / "slurm.conf"
        self.plugstack = self.top / "plugstack.conf"
        # The variables that a client needs besides its usual environment.
        self.env = {"SLURM_CONF": str(self.conf)}
        self.client = {"PATH": SBIN, "LANG": "C.UTF-8", "HOME": "/", **self.env}
        self.make_directories()
        self.set_plugstack(plugstack)

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()

    # --- files ---

    def make_directories(self):
        os.makedirs(self.top, exist_ok=True)
        os.chmod(self.top, 0o755)  # of the user's only the configuration and munged's socket
        for name, mode in (("munge", 0o755), ("state", 0o700), ("spool", 0o755), ("log", 0o700)):
            (self.top / name).mkdir(exist_ok=True)
            os.chmod(self.top / name, mode)
        for node in self.nodes:
            (self.top / "spool" / node).mkdir(exist_ok=True)
        key = self.top / "munge.key"
        if not key.exists():
            key.touch(0o600)
            key.write_bytes(os.urandom(128))

    def set_plugstack(self, text):
        """Lines of plugstack.conf(5); steps launched from now on see them, slurmd itself after a restart."""
        temporary = self.top / "plugstack.tmp"
        temporary.write_text(text, encoding="utf-8")
        os.chmod(temporary, 0o644)
        temporary.rename(self.plugstack)

    def write_conf(self):
        host, top = socket.gethostname().split(".")[0], self.top
        places = {
            "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmctldPort": self.ports[0],
            "AuthInfo": f"socket={top}/munge/socket", "StateSaveLocation": f"{top}/state",
            "SlurmdSpoolDir": f"{top}/spool/%n", "SlurmctldPidFile": f"{top}/slurmctld.pid",
            "SlurmdPidFile": f"{top}/%n.pid", "SlurmctldLogFile": f"{top}/log/slurmctld",
            "SlurmdLogFile": f"{top}/log/%n", "PlugStackConfig": self.plugstack,
        }
        lines = [f"{k}={v}" for k, v in {**places, **self.options}.items()]
        for node, port in zip(self.nodes, self.ports[1:]):
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={self.cpus} RealMemory=16000")
        lines.append(f"PartitionName=main Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE "
                     "OverSubscribe=NO State=UP")
        self.conf.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.chmod(self.conf, 0o644)
        if self.cgroups:
            (self.top / "cgroup.conf").write_text(CGROUP_CONF, encoding="ascii")

    def log(self, name, lines=40):
        """The end of a daemon's log: slurmctld, a node's name or munged."""
        try:
            text = (self.top / "log" / name).read_text(encoding="utf-8", errors="replace")
        except OSError as e:
            return str(e)
        return "\n".join(text.splitlines()[-lines:])

    # --- daemons ---

    def spawn(self, name, *argv):
        with open(self.top / "log" / f"{name}.out", "ab") as out:
            self.daemons[name] = subprocess.Popen(  # pylint: disable=consider-using-with
                argv, env=self.client, cwd="/", stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                start_new_session=True, preexec_fn=die_with_parent if self.tied else None)

    def start_munged(self):
        top = self.top
        self.spawn("munged", "munged", "--foreground", f"--key-file={top}/munge.key", f"--socket={top}/munge/socket",
                   f"--pid-file={top}/munge/pid", f"--log-file={top}/log/munged", f"--seed-file={top}/munge/seed",
                   "--num-threads=4")
        poll((top / "munge" / "socket").exists, "munged's socket")

    def start_slurmd(self, node):
        self.spawn(node, "slurmd", "-D", "-N", node, "-f", str(self.conf))

    def start_slurmctld(self):
        self.spawn("slurmctld", "slurmctld", "-D", "-f", str(self.conf))

    def start(self):
        if lacking := missing_programs():
            raise ClusterError(f"not installed: {' '.join(lacking)} (tests/tools/setup installs slurm-wlm and munge)")
        self.start_munged()
        for attempt in range(3):
            self.ports = free_ports(1 + len(self.nodes))
            self.write_conf()
            self.start_slurmctld()
            for node in self.nodes:
                self.start_slurmd(node)
            try:
                self.wait_ready()
                return self
            except ClusterError:  # somebody may have taken a port between our look and the daemon's bind
                if attempt == 2:
                    raise
                self.end([n for n in self.daemons if n != "munged"])
        raise AssertionError

    def wait_ready(self):
        """Every daemon runs and every node takes jobs."""
        poll(lambda: self.check_alive() or self.node_states() == {n: "IDLE" for n in self.nodes},
             "the nodes to be idle")

    def check_alive(self):
        for name, daemon in self.daemons.items():
            if daemon.poll() is not None:
                raise ClusterError(f"{name} ended ({daemon.returncode}):\n{self.log(name)}\n{self.log(name + '.out')}")
        return False

    def end(self, names):
        """TERM, then KILL, for those of our daemons."""
        ending = {n: self.daemons.pop(n) for n in names if n in self.daemons}
        for how in (signal.SIGTERM, signal.SIGKILL):
            for d in ending.values():
                if d.poll() is None:
                    d.send_signal(how)
            deadline = time.monotonic() + 15
            for d in ending.values():
                try:
                    d.wait(max(0.1, deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    pass
            if all(d.poll() is not None for d in ending.values()):
                return

    def kill_slurmd(self, node):
        """As if it had crashed: its children go on."""
        self.daemons[node].kill()
        self.daemons.pop(node).wait()

    def wait_registered(self, node):
        """A slurmd that was started again answers."""
        def answers():
            self.check_alive()
            return self.ask("scontrol", "-o", "show", "slurmd", timeout_s=10) if len(self.nodes) == 1 else \
                self.node_states().get(node, "DOWN").rstrip("*") in ("IDLE", "MIXED", "ALLOCATED")
        poll(answers, f"{node} to answer")

    def processes(self):
        """pids of our daemons, slurmstepds and jobs, told by slurm.conf in their environment."""
        mark = f"SLURM_CONF={self.conf}".encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                env = Path(f"/proc/{pid}/environ").read_bytes()
                # Not a shell or srun of a user who exported the variable by hand.
                if mark in env.split(b"\0") and (b"\0SLURM_JOB_ID=" in b"\0" + env or
                                                os.path.basename(os.readlink(f"/proc/{pid}/exe")).split("-")[0] in DAEMONS):
                    found.append(int(pid))
            except OSError:
                pass
        return [pid for pid in found if pid != os.getpid()]

    def stop(self):
        """Ends the cluster and leaves no job, no process, no file of it."""
        try:
            if self.ask("scontrol", "ping"):
                self.cancel_all()
        except (ClusterError, subprocess.SubprocessError):
            pass  # they are killed below
        for how in (signal.SIGTERM, signal.SIGKILL):
            for pid in self.processes():
                try:
                    os.kill(pid, how)
                except OSError:
                    pass
            try:
                poll(lambda: not [d for d in self.daemons.values() if d.poll() is None] and not self.processes(),
                     "the daemons' end", 20)
                break
            except ClusterError:
                pass
        self.daemons.clear()
        self.forget_steps()
        if self.cgroups:
            self.remove_groups()
        shutil.rmtree(self.top, ignore_errors=True)

    def forget_steps(self):
        """What the plugin has outside of our directory."""
        try:
            if Path(os.readlink(USUAL_STEPS / "other")).is_relative_to(self.top):
                (USUAL_STEPS / "other").unlink()
            USUAL_STEPS.rmdir()
        except OSError:
            pass  # there is none, or it is another cluster's

    def groups(self):
        """Control groups of the nodes, the inner ones first."""
        tops = [CGROUPS / c / f"slurm_{n}" for c in CONTROLLERS for n in self.nodes]
        return [Path(here) for top in tops for here, _, _ in os.walk(top, topdown=False)]

    @staticmethod
    def processes_of(group):
        try:
            return (group / "cgroup.procs").read_text(encoding="ascii").split()
        except FileNotFoundError:
            return []

    def remove_groups(self):
        for group in self.groups():
            try:
                group.rmdir()
            except OSError:
                pass  # somebody is in there still: the test has told

    # --- what SLURM says ---

    def ask(self, *argv, timeout_s=60):
        """Output of a client command of root's, None when the controller does not answer (yet)."""
        p = subprocess.run(argv, env=self.client, capture_output=True, text=True, timeout=timeout_s, check=False,
                           stdin=subprocess.DEVNULL)
        return p.stdout if p.returncode == 0 else None

    def node_states(self):
        text = self.ask("sinfo", "-h", "-N", "-o", "%N %T")
        return {} if text is None else {n: s.upper() for n, s in map(str.split, text.splitlines())}

    def jobs(self):
        """id -> state of the jobs that have not ended."""
        text = self.ask("squeue", "-h", "-o", "%A %T")
        return {int(j): s for j, s in map(str.split, (text or "").splitlines())}

    def job(self, job_id):
        """Fields of `scontrol show job`, {} when SLURM has forgotten it."""
        text = self.ask("scontrol", "-o", "show", "job", str(job_id)) or ""
        return dict(word.split("=", 1) for word in text.split() if "=" in word)

    def wait_job(self, job_id, states=("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"), timeout_s=120):
        """Waits for one of the states and returns the job's fields."""
        def reached():
            fields = self.job(job_id)
            return fields if fields.get("JobState") in states else None
        return poll(reached, f"job {job_id}: {'/'.join(states)}", timeout_s)

    def cancel_all(self):
        for job_id in self.jobs():
            self.ask("scancel", "--signal=KILL", "--full", str(job_id))
            self.ask("scancel", str(job_id))
        self.wait_idle()

    def wait_idle_nodes(self, timeout_s=60):
        """The nodes have cleaned up after their last jobs. A drained one will not be idle by itself."""
        def are_idle():
            states = self.node_states()
            if drained := [n for n, s in states.items() if "DRAIN" in s]:
                raise ClusterError(f"drained: {drained}\n{self.ask('sinfo', '-R')}")
            return states == {n: "IDLE" for n in self.nodes}
        poll(are_idle, f"idle nodes (they are {self.node_states()})", timeout_s)

    def wait_idle(self, timeout_s=60):
        """No job, and idle nodes."""
        poll(lambda: not self.jobs(), f"no job (there are {self.jobs()})", timeout_s)
        self.wait_idle_nodes(timeout_s)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("start", "stop"):
        sys.exit("usage: cluster.py start|stop DIR")
    cluster = Cluster(Path(sys.argv[2]).resolve(), tied=False)
    if sys.argv[1] == "stop":
        cluster.stop()
        return
    try:
        cluster.start()
    except ClusterError as e:
        cluster.stop()
        sys.exit(f"cluster.py: {e}")
    print(*(f"export {k}={v}" for k, v in cluster.env.items()), sep="\n")


if __name__ == "__main__":
    main()
