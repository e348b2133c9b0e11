# SPDX-License-Identifier: Apache-2.0
"""run and create: what the container gets, what comes back, and what is refused."""
from table import row, says

N = "docker run --rm --network none"
V28 = "the text is Docker 28's; 20.10 has another"
OURS = "csbx does not have it and says so, where Docker does it"
CREATE = ("docker: Error response from daemon: failed to create task for container: failed to create shim task: "
          "OCI runtime create failed: runc create failed: unable to start container process: error during "
          "container init: ")
# 20.10 ends what it says with a full stop.
DOT = [(r"\.(\n+<HELP)", r"\1")]
HELP = "\n\nRun 'docker run --help' for more information\n"


def usage(text, verb="run"):
    line = {"run": "[OPTIONS] IMAGE [COMMAND] [ARG...]", "create": "[OPTIONS] IMAGE [COMMAND] [ARG...]"}[verb]
    return f"{text}\n\nUsage:  docker {verb} {line}\n\nRun 'docker {verb} --help' for more information\n"


ROWS = [
    # --- what runs
    row("exit code", f"{N} box sh -c 'exit 3'", "run, run --rm"),
    row("two streams", f"{N} box sh -c 'echo out; echo err >&2'", "run"),
    row("bytes as they are", f"{N} box sh -c 'printf \"a\\\\000b\\\\377\"' | od -c", "run"),
    row("a signal's code", f"{N} --init box sh -c 'kill -TERM $$'", "run, run --init"),
    row("entry point and command", f"{N} conf:1; {N} conf:1 a b", "run"),
    row("entry point replaced", f"{N} --entrypoint /bin/echo conf:1 x; {N} --entrypoint= conf:1 /bin/echo y",
        "run --entrypoint"),
    row("entry point replaced drops the command", f"{N} --entrypoint /bin/echo conf:1", "run --entrypoint"),
    says("no command at all", f"{N} --entrypoint '' conf:1", "run --entrypoint", rc=125, why=V28,
         err="docker: Error response from daemon: no command specified" + HELP),
    row("stdin with -i", f"printf 'a\\nb\\n' | {N} -i box cat", "run -i"),
    row("stdin is empty without -i", f"printf 'a\\nb\\n' | {N} box cat", "run -i"),
    row("the end of stdin", f"printf 'abc' | {N} -i box sh -c 'cat; echo done'", "run -i"),
    row("flags after the image are the command's", f"{N} box echo --rm -it --foo", "run"),
    row("bundled flags and values in every form",
        f"{N} -ieA=1 -e=B=2 --env C=3 --env=D=4 box sh -c 'echo $A $B $C $D'", "run -i, run -e"),
    row("booleans with a value", "docker run --rm=true --network none --init=false -i=false box echo ok", "run --rm"),
    row("-t makes one stream with CR LF", f"{N} -t box sh -c 'tty; echo err >&2' | od -c", "run -t", merged=True),
    row("-it without a terminal", f"{N} -it box true", "run -t, run -i"),
    # --- environment, user, directory
    row("environment", f"A=host {N} -e A -e B=1 -e B=2 -e EMPTY= -e NOTSET box env | grep -v HOSTNAME | sort",
        "run -e"),
    row("environment of the image", f"{N} --entrypoint env conf:1 | grep -v HOSTNAME | sort", "run"),
    row("environment file", "printf '# no\\nX=1\\n\\nY=a b\\nA=file\\n' >f; "
        f"{N} --env-file f -e A=flag box sh -c 'echo $X $Y $A'", "run --env-file"),
    row("TERM with a terminal", f"{N} -t box sh -c 'echo $TERM'; {N} box sh -c 'echo \"[$TERM]\"'", "run -t"),
    row("directory that is made", f"{N} -w /a/b box sh -c 'pwd; ls -ld /a/b | cut -c1-10'", "run -w"),
    row("directory of the image", f"{N} --entrypoint pwd conf:1", "run -w"),
    row("user and group by number", f"{N} -u 1000:1000 box sh -c 'id -u; id -g; echo $HOME'", "run -u"),
    row("user by name", f"{N} -u app box sh -c 'id -un; echo $HOME'", "run -u"),
    row("a number nobody has", f"{N} -u 4321 box sh -c 'id -u; id -g; echo $HOME'", "run -u"),
    row("host name", f"{N} -h inner box sh -c 'hostname; cat /etc/hostname'", "run -h"),
    row("a host name without an address", f"{N} --add-host a.example:10.0.0.1 --add-host b.example:::1 box "
        "grep example /etc/hosts", "run --add-host"),
    row("dns", f"{N} --dns 9.9.9.9 --dns-search x.example --dns-option ndots:3 box cat /etc/resolv.conf | sort",
        "run --dns"),
    row("docker's own file", f"{N} box test -f /.dockerenv", "run"),
    row("no network but lo", f"{N} box sh -c 'ls /sys/class/net'", "run --network"),
    # --- files
    row("bind mount", "mkdir d; echo in >d/f; "
        f"{N} -v $PWD/d:/d box sh -c 'cat /d/f; echo out >/d/g'; cat d/g", "run -v"),
    row("bind mount, read-only", "mkdir d; " + f"{N} -v $PWD/d:/d:ro box touch /d/x", "run -v"),
    row("one file", "echo one >f; " + f"{N} -v $PWD/f:/etc/f:ro box cat /etc/f", "run -v"),
    row("a missing source is made", f"{N} -v $PWD/new/dir:/d box ls -d /d; ls -d new/dir", "run -v"),
    row("a named volume stays", f"{N} -v named1:/d box sh -c 'echo kept >/d/f'; {N} -v named1:/x box cat /x/f",
        "run -v"),
    row("--mount bind", "mkdir d; echo in >d/f; "
        f"{N} --mount type=bind,source=$PWD/d,target=/d,readonly box sh -c 'cat /d/f; touch /d/x'", "run --mount"),
    row("--mount tmpfs", f"{N} --mount type=tmpfs,dst=/t,tmpfs-size=1m box sh -c 'grep -c \" /t tmpfs\" /proc/mounts'",
        "run --mount"),
    row("tmpfs", f"{N} --tmpfs /t:size=1m box sh -c 'touch /t/x; dd if=/dev/zero of=/t/y bs=1M count=2 2>/dev/null; "
        "echo $?'", "run --tmpfs"),
    row("read-only root", f"{N} --read-only --tmpfs /tmp box sh -c 'touch /tmp/x && touch /x'", "run --read-only"),
    row("/dev/shm", f"{N} --shm-size 8m box sh -c 'df -m /dev/shm | tail -1 | awk \"{{print \\$2}}\"'", "run --shm-size"),
    row("a volume of the image", f"{N} --entrypoint sh conf:1 -c 'ls -d /data; grep -c \" /data \" /proc/mounts'", "run"),
    # --- limits
    row("open files", f"{N} --ulimit nofile=100:200 box sh -c 'ulimit -n; ulimit -Hn'", "run --ulimit"),
    row("no new privileges", f"{N} --security-opt no-new-privileges box grep NoNewPrivs /proc/self/status",
        "run --security-opt"),
    row("new privileges", f"{N} box grep NoNewPrivs /proc/self/status", "run --security-opt"),
    row("a capability less", f"{N} --cap-drop ALL box grep CapEff /proc/self/status", "run --cap-drop"),
    row("memory is accepted in docker's words", f"{N} -m 64M --memory-swap=64m --memory-reservation 32mb box echo ok",
        "run -m"),
    row("pids", f"{N} --pids-limit -1 box echo ok; {N} --pids-limit=50 box echo ok", "run --pids-limit"),
    # --- -d, names, create
    row("-d prints the id only", "id=$(docker run -d --network none box sleep 60); echo ${#id}; "
        "docker exec $id echo in; docker exec $(echo $id | cut -c1-12) echo in; docker rm -f $id >/dev/null", "run -d"),
    row("a name that is taken", "docker run -d --network none --name taken box sleep 60; "
        f"{N} --name taken box true; docker create --name taken box", "run --name, create", rules=DOT),
    row("--rm leaves nothing", f"{N} --name gone box true; docker ps -aq", "run --rm"),
    row("without --rm it stays", "docker run --network none --name stays box sh -c 'exit 4'; docker wait stays; "
        "docker rm stays", "run, wait"),
    row("cidfile", "docker run -d --network none --cidfile c box sleep 9 >id; cmp -n 64 c id && docker rm -f $(cat c) | wc -c",
        "run --cidfile"),
    row("cidfile that is there", "echo >c; " + f"{N} --cidfile c box true", "run --cidfile", rules=DOT),
    row("a name in the environment", f"{N} box sh -c 'hostname | wc -c'", "run -h"),
    row("create, start -a", "docker create --network none --name made box sh -c 'echo out; exit 5' | wc -c; "
        "docker start -a made; echo $?; docker rm made", "create, start -a"),
    row("create with -i, start -ai", "docker create -i --network none --name ci box cat >/dev/null; "
        "echo in | docker start -ai ci; docker rm ci", "create -i, start -i"),
    # --- errors: the command line
    says("unknown flag", "docker run --foo box", "run", rc=125, why=V28, err=usage("unknown flag: --foo")),
    says("unknown short flag", "docker run -dZ box", "run", rc=125, why=V28,
         err=usage("unknown shorthand flag: 'Z' in -Z")),
    says("flag without its value", "docker run --name", "run --name", rc=125, why=V28,
         err=usage("flag needs an argument: --name")),
    says("no image", "docker run", "run", rc=1, why=V28,
         err="docker: 'docker run' requires at least 1 argument\n\nUsage:  docker run [OPTIONS] IMAGE [COMMAND] [ARG...]"
             "\n\nSee 'docker run --help' for more information\n"),
    says("a size that is none", "docker run -m abc box", "run -m", rc=125, why=V28,
         err=usage("invalid argument \"abc\" for \"-m, --memory\" flag: invalid size: 'abc'")),
    says("a boolean that is none", "docker run --rm=maybe box", "run --rm", rc=125, why=V28,
         err=usage('invalid argument "maybe" for "--rm" flag: strconv.ParseBool: parsing "maybe": invalid syntax')),
    says("a stream that is none", "docker run -a foo box", "run -a", rc=125, why=V28,
         err=usage('invalid argument "foo" for "-a, --attach" flag: valid streams are STDIN, STDOUT and STDERR')),
    says("a limit that is none", "docker run --ulimit foo=1 box", "run --ulimit", rc=125, why=V28,
         err=usage('invalid argument "foo=1" for "--ulimit" flag: invalid ulimit type: foo')),
    says("a host without an address", "docker run --add-host foo box", "run --add-host", rc=125, why=V28,
         err=usage('invalid argument "foo" for "--add-host" flag: bad format for add-host: "foo"')),
    says("--mount without a target", "docker run --mount type=bind,src=/x box", "run --mount", rc=125, why=V28,
         err=usage('invalid argument "type=bind,src=/x" for "--mount" flag: target is required')),
    says("an unknown flag of create", "docker create --foo box", "create", rc=125, why=V28,
         err=usage("unknown flag: --foo", "create")),
    says("--pull of a wrong word", f"{N} --pull foo box", "run --pull", rc=125, why=V28,
         err="docker: invalid pull option: 'foo': must be one of \"always\", \"missing\" or \"never\"" + HELP),
    row("a security option that is none", f"{N} --security-opt x box true", "run --security-opt", rules=DOT),
    says("--rm and --restart", f"{N} --restart always box true", "run --restart", rc=125, why=V28,
         err='docker: conflicting options: cannot specify both --restart and --rm' + HELP),
    row("an environment file that is missing", f"{N} --env-file ./nothere box true", "run --env-file", rules=DOT),
    # --- errors: the container
    says("a program that is not there", f"{N} box nosuch", "run", rc=127, why=V28,
         err=CREATE + 'exec: "nosuch": executable file not found in $PATH: unknown' + HELP),
    says("a path that is not there", f"{N} box /no/such", "run", rc=127, why=V28,
         err=CREATE + 'exec: "/no/such": stat /no/such: no such file or directory: unknown' + HELP),
    says("a file that is no program", f"{N} box /etc/passwd", "run", rc=126, why=V28,
         err=CREATE + 'exec: "/etc/passwd": permission denied: unknown' + HELP),
    says("a user that is not there", f"{N} -u nosuch box true", "run -u", rc=125, why=V28,
         err='docker: Error response from daemon: unable to find user nosuch: no matching entries in passwd file' + HELP),
    says("a group that is not there", f"{N} -u app:nosuch box true", "run -u", rc=125, why=V28,
         err='docker: Error response from daemon: unable to find group nosuch: no matching entries in group file' + HELP),
    row("a relative directory", f"{N} -w rel box true", "run -w", rules=DOT),
    row("a directory that is a file", f"{N} -w /etc/passwd box true", "run -w", rules=DOT),
    row("a mode of a volume that is none", f"{N} -v $PWD:/x:zz box true", "run -v", rules=DOT),
    row("a relative target", f"{N} -v /tmp:b box true", "run -v", rules=DOT),
    row("too many parts", f"{N} -v a:b:c:d box true", "run -v", rules=DOT),
    row("--mount of what is not there", f"{N} --mount type=bind,src=/not/there,dst=/x box true", "run --mount", rules=DOT),
    row("--mount of an unknown type", f"{N} --mount type=foo,dst=/x box true", "run --mount", rules=DOT),
    row("--mount bind without a source", f"{N} --mount type=bind,dst=/x box true", "run --mount", rules=DOT),
    row("a relative tmpfs", f"{N} --tmpfs rel box true", "run --tmpfs", rules=DOT),
    row("too little memory", f"{N} -m 1m box true", "run -m", rules=DOT),
    row("less swap than memory", f"{N} -m 100m --memory-swap 50m box true", "run -m", rules=DOT),
    row("an unknown capability", f"{N} --cap-add FOO box true", "run --cap-add", rules=DOT),
    says("an unknown network", "docker run --rm --network nosuch box true", "run --network", rc=125, why=V28,
         err='docker: Error response from daemon: network nosuch not found' + HELP),
    says("an ipc mode that is none", f"{N} --ipc foo box true", "run --ipc", rc=125, why=V28,
         err='docker: Error response from daemon: Invalid IPC mode: foo' + HELP),
    row("a log driver that is none", f"{N} --log-driver foo box true", "run --log-driver", rules=DOT),
    says("a stop signal that is none", f"{N} --stop-signal FOO box true", "run --stop-signal", rc=125, why=V28,
         err="docker: Error response from daemon: invalid signal: FOO" + HELP),
    row("a name that is none", f"{N} --name 'a b' box true; {N} --name x box true", "run --name", rules=DOT),
    row("an image that is not there", f"{N} --pull never nosuch:9 true", "run --pull", rules=DOT),
    says("a reference that is none", f"{N} UPPER true", "run", rc=125, why=V28,
         err='docker: invalid reference format: repository name (library/UPPER) must be lowercase' + HELP),
    # --- what csbx does not do
    says("privileged", f"{N} --privileged box true", "run --privileged", rc=125, why=OURS,
         err="docker: --privileged is not available in csbx: a container never has more rights than its user; "
             "--cap-add and --security-opt give it more within itself" + HELP),
    says("a port that becomes another", "docker run --rm -p 8080:80 box true", "run -p", rc=125, why=OURS,
         err="docker: --publish 8080:80 is not available in csbx: the container has the host's network, where port 80 "
             "is port 80" + HELP),
    says("gpus", f"{N} --gpus all box true", "run --gpus", rc=125, why=OURS,
         err="docker: --gpus is not available in csbx: GPUs are not handed in" + HELP),
    says("what has no effect is said", f"{N} --cpu-shares 512 box echo ok", "run --cpu-shares", out="ok\n", why=OURS,
         err="WARNING: --cpu-shares is without effect in csbx: CPU time is not weighted; --cpus limits it\n"),
    says("its letter", f"{N} -c 512 box echo ok", "run -c", out="ok\n", why=OURS,
         err="WARNING: --cpu-shares is without effect in csbx: CPU time is not weighted; --cpus limits it\n"),
]
