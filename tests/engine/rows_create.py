# SPDX-License-Identifier: Apache-2.0
"""The members of a creation's body, and what is refused of them."""
from dataclasses import replace

from apitable import create, get, post, ran, row


CLIENT = "a bad request is the client's fault"


def body(name, members, *pick, cmd=("true",), **how):
    """A creation with these members of its body, and how they are told again."""
    return row(name, create("ca", {"Cmd": list(cmd), **members}, **how), get("/containers/ca/json", pick=[f"Config.{p}" for p in pick]))


def host(name, members, *pick, **how):
    return row(name, create("ca", {"Cmd": ["true"]}, members), get("/containers/ca/json", pick=[f"HostConfig.{p}" for p in pick], **how))


def seen(name, script, members=None, of_host=None, *pick):
    """A row that shows the view of a container with these members."""
    return row(name, *ran("ca", "sh", "-c", script, body=members, host=of_host), get("/containers/ca/logs?stdout=1&stderr=1"),
               get("/containers/ca/json", pick=list(pick) or ["State.ExitCode"]))


def bad(name, *bodies, **how):
    return row(name, *(post("/containers/create", {"Image": "box", "Cmd": ["true"], **b}, **how) for b in bodies))


ROWS = [
    body("Cmd as one string", {"Cmd": "echo hi"}, "Cmd"),
    body("Cmd and Entrypoint", {"Cmd": ["b"], "Entrypoint": ["echo", "a"]}, "Cmd", "Entrypoint"),
    row("Env", create("ca", {"Env": ["A=b", "C="]}), get("/containers/ca/json", pick=["Config.Env"], differs="the image's come first",
        want=(200, '"A=b", "C="'))),
    body("Labels", {"Labels": {"a": "b", "c": "", "d.e": "f=g"}}, "Labels"),
    body("User and WorkingDir", {"User": "5:6", "WorkingDir": "/tmp"}, "User", "WorkingDir"),
    body("Hostname", {"Hostname": "h1", "Domainname": ""}, "Hostname", "Domainname"),
    body("ExposedPorts", {"ExposedPorts": {"80/tcp": {}, "53/udp": {}}}, "ExposedPorts"),
    body("StopSignal and StopTimeout", {"StopSignal": "SIGINT", "StopTimeout": 3}, "StopSignal", "StopTimeout"),
    body("a terminal", {"Tty": True, "OpenStdin": True, "StdinOnce": True, "AttachStdin": True, "AttachStdout": True},
         "Tty", "OpenStdin"),
    row("a health check", create("ca", {"Healthcheck": {"Test": ["CMD-SHELL", "true"], "Interval": 1000000000,
                                                        "Timeout": 2000000000, "Retries": 4, "StartPeriod": 5000000000}}),
        get("/containers/ca/json", pick=["Config.Healthcheck"]), 
        create("cf", {"Healthcheck": {"Test": ["odd"]}}, differs="said at once, and not at the first check",
               want=(400, "Unknown healthcheck type"))),
    body("nothing is asked for", {"Env": None, "Labels": None, "Volumes": None, "ExposedPorts": None, "Entrypoint": None,
                                  "User": "", "WorkingDir": "", "Healthcheck": None, "StopSignal": "", "OnBuild": None},
         "Env", "Cmd", "User", "WorkingDir", "Volumes"),
    host("memory", {"Memory": 64 << 20, "MemorySwap": 128 << 20}, "Memory", "MemorySwap"),
    host("memory without swap of its own", {"Memory": 64 << 20}, "Memory"),
    host("CPUs", {"NanoCpus": 1500000000}, "NanoCpus", "CpuQuota", "CpuPeriod"),
    row("CPU quota", create("ca", None, {"CpuQuota": 50000, "CpuPeriod": 100000}),
        get("/containers/ca/json", differs="told as the CPUs that it is", want=(200, '"NanoCpus": 500000000'))),
    host("pids and shm", {"PidsLimit": 50, "ShmSize": 1 << 20}, "PidsLimit", "ShmSize"),
    host("ulimits", {"Ulimits": [{"Name": "nofile", "Soft": 64, "Hard": 128}]}, "Ulimits"),
    host("restart", {"RestartPolicy": {"Name": "no", "MaximumRetryCount": 0}}, "RestartPolicy"),
    host("tmpfs", {"Tmpfs": {"/t": "size=1m", "/u": ""}}, "Tmpfs"),
    host("hosts and DNS", {"ExtraHosts": ["a:1.2.3.4"], "Dns": ["9.9.9.9"], "DnsSearch": ["x.org"], "DnsOptions": ["ndots:2"]},
         "ExtraHosts", "Dns", "DnsSearch", "DnsOptions"),
    host("capabilities", {"CapAdd": ["CAP_SYS_PTRACE"], "CapDrop": ["ALL"]}, "CapAdd", "CapDrop"),
    replace(host("groups", {"GroupAdd": ["7"]}, "GroupAdd"), needs_id_ranges=True),
    host("read-only, init, removed", {"ReadonlyRootfs": True, "Init": True, "AutoRemove": True}, "ReadonlyRootfs", "Init", "AutoRemove"),
    host("the network", {"NetworkMode": "host"}, "NetworkMode"),
    host("binds", {"Binds": ["/etc:/x:ro", "vol:/y"]}, "Binds"),
    host("mounts", {"Mounts": [{"Type": "bind", "Source": "/etc", "Target": "/x", "ReadOnly": True},
                               {"Type": "tmpfs", "Target": "/y", "TmpfsOptions": {"SizeBytes": 1048576}},
                               {"Type": "volume", "Source": "v", "Target": "/z"}]}, "Mounts"),
    row("ports", create("ca", {"Cmd": ["true"]}, {"PortBindings": {"80/tcp": [{"HostIp": "", "HostPort": "18080"}]}},
                        differs="without a network they are dropped: csbx says so", want=(201, "Published ports are discarded")),
        get("/containers/ca/json", pick=["HostConfig.PortBindings"])),
    host("logging", {"LogConfig": {"Type": "json-file", "Config": {}}}, "LogConfig.Type"),
    row("what csbx does not act on is warned about",
        create("ca", None, {"Sysctls": {"net.ipv4.ip_forward": "1"}}, differs="csbx sets none", want=(201, "without effect")),
        create("cb", None, {"OomScoreAdj": 500}, differs="the score is the caller's", want=(201, "without effect"))),
    row("mounts as they are told", create("ca", {"Cmd": ["true"]}, {"Binds": ["/etc:/x:ro", "vol:/y"], "Tmpfs": {"/t": ""}}),
        get("/containers/ca/json", pick=["Mounts.0.Type", "Mounts.0.Source", "Mounts.0.Destination", "Mounts.0.Mode", "Mounts.0.RW",
                                        "Mounts.1.Type", "Mounts.1.Name", "Mounts.1.Destination", "Mounts.1.RW", "Mounts.2"])),
    seen("the environment", "echo $A; echo $B", {"Env": ["A=1", "B=x y"]}),
    seen("the directory and the user", "pwd; id -u; id -g", {"User": "5:6", "WorkingDir": "/tmp"}),
    seen("the host's name", "hostname", {"Hostname": "h1"}),
    seen("limits of a process", "ulimit -n; ulimit -Hn", None, {"Ulimits": [{"Name": "nofile", "Soft": 64, "Hard": 128}]}),
    seen("names in the hosts file", "grep 1.2.3.4 /etc/hosts", None, {"ExtraHosts": ["a:1.2.3.4"]}),
    seen("a root that is read-only", "echo x 2>/dev/null >/f || echo no; echo x >/t/f && echo yes", None,
         {"ReadonlyRootfs": True, "Tmpfs": {"/t": ""}}),
    seen("an entrypoint", "", {"Entrypoint": ["echo", "e"], "Cmd": ["c", "d"]}),
    seen("an image with much of its own", "", {"Image": "conf:1", "Cmd": None}),
    seen("the same with a command of one's own", "", {"Image": "conf:1", "Cmd": ["mine"]}),
    seen("a volume", "echo v >/v/f; cat /v/f", {"Volumes": {"/v": {}}}, None, "Mounts.0.Destination", "Mounts.0.Type", "Mounts.1"),
    seen("the size of /dev/shm", "df -k /dev/shm | tail -1 | awk '{print $2}'", None, {"ShmSize": 1 << 20}),
    seen("an empty entrypoint", "echo x", {"Entrypoint": [""]}),
    row("what is too little memory", create("ca", None, {"Memory": 1024}), create("cb", None, {"Memory": 64 << 20, "MemorySwap": 1 << 20}),
        create("cc", None, {"MemorySwap": 64 << 20})),
    row("policies that are none", create("ca", None, {"RestartPolicy": {"Name": "sometimes"}}, differs="Docker 28's text", want=(400, "unknown policy 'sometimes'")),
        create("cb", None, {"RestartPolicy": {"Name": "always"}, "AutoRemove": True}, differs="the command line's text",
               want=(400, "--restart and --rm"))),
    row("counts of a policy that are none", 
        create("cc", None, {"RestartPolicy": {"Name": "no", "MaximumRetryCount": 3}}, differs="28's text",
               want=(400, "maximum retry count can only be used with 'on-failure'")),
        create("cd", None, {"RestartPolicy": {"Name": "on-failure", "MaximumRetryCount": -1}}, differs="28's text",
               want=(400, "maximum retry count cannot be negative"))),
    row("mounts that are none",
        create("ca", None, {"Binds": ["x"]}, differs=CLIENT, want=(400, "mount path must be absolute")),
        create("cb", None, {"Binds": ["/tmp:/x:bad"]}, differs=CLIENT, want=(400, "invalid mode: bad")),
        create("cc", None, {"Binds": ["/tmp:relative"]}, differs=CLIENT, want=(400, "mount path must be absolute")),
        create("cd", None, {"Binds": [":/x"]}, differs=CLIENT, want=(400, "invalid volume specification")),
        create("ce", None, {"Mounts": [{"Type": "bind", "Source": "/nowhere-at-all", "Target": "/x"}]}),
        create("cf", None, {"Mounts": [{"Type": "odd", "Target": "/x"}]}), create("cg", None, {"Mounts": [{"Type": "bind", "Target": "/x"}]}),
        create("ch", None, {"Mounts": [{"Type": "tmpfs", "Source": "s", "Target": "/x"}]}),
        create("ci", None, {"Binds": ["/etc:/x", "/etc:/x:ro"]}), create("cj", None, {"Mounts": [{"Type": "volume", "Source": "v"}]}, differs="the command line's text", want=(400, "target is required"))),
    row("ports that are none", create("ca", {"ExposedPorts": {"x/tcp": {}}}),
        create("cb", None, {"PortBindings": {"80/tcp": [{"HostPort": "x"}]}}), create("cc", None, {"PortBindings": {"99999/tcp": [{"HostPort": "1"}]}})),
    row("limits that are none", create("ca", None, {"NanoCpus": 1000000000000}), create("cb", None, {"NanoCpus": -1}, differs="said of the field", want=(400, "NanoCpus")),
        create("cc", None, {"CpuPeriod": 5}), create("cd", None, {"NanoCpus": 1000000000, "CpuQuota": 1000}, differs="28 names the other field", want=(400, "Conflicting options: Nano CPUs")),
        create("ce", None, {"ShmSize": -1}, differs="said of the field", want=(400, "ShmSize")), create("cf", None, {"PidsLimit": -1})),
    row("names that are none", create("ca", {"Hostname": "-bad-"}), create("cb", {"StopSignal": "NOSIG"}),
        create("cc", {"WorkingDir": "relative"}), create("cd", {"Env": ["=x"]}), create("ce", None, {"NetworkMode": "nonet"}, differs="said at once, and not at the start", want=(400, "network nonet not found")),
        create("cg", {"StopTimeout": -5}), create("ch", None, {"Sysctls": {"": "1"}}, differs="said at once", want=(400, "sysctl")),
        create("ci", {"MacAddress": "zz"}, differs="containers have no address of their own", want=(400, "mac-address"))),
]
