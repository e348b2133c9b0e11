# SPDX-License-Identifier: Apache-2.0
"""Flags that the tables by verb have too few rows of, and import."""
from table import row, says

UP = "docker run -d --name cc --network none box sleep 1000 >/dev/null\n"
RUN = "docker run --rm --network none "

EXEC = [
    row("two variables", UP + "docker exec -e A=1 -e B='x y' cc sh -c 'echo $A $B'", "exec -e"),
    row("the later of two", UP + "docker exec --env A=1 --env A=2 cc sh -c 'echo $A'", "exec -e"),
    row("another PATH", UP + "docker exec -e PATH=/nowhere:/usr/bin cc /bin/sh -c 'echo $PATH'", "exec -e"),
    row("a variable of the caller's", UP + "export FROM_HERE=1; docker exec -e FROM_HERE cc sh -c 'echo $FROM_HERE'",
        "exec -e"),
    row("input by lines", UP + "printf 'a\\nb\\n' | docker exec -i cc grep -n .", "exec -i"),
    row("no input without -i", UP + "echo x | docker exec cc cat", "exec"),
    row("much input", UP + "head -c 3000000 /dev/zero | docker exec -i cc wc -c", "exec -i"),
    row("user and group", UP + "docker exec -u 7:8 cc sh -c 'id -u; id -g'", "exec -u"),
    row("a user of the image's", UP + "docker exec --user=app cc sh -c 'id -un; id -gn'", "exec -u"),
    row("a group nobody has", UP + "docker exec --user 0:4242 cc sh -c 'id -u; id -g'", "exec -u"),
    row("a directory", UP + "docker exec --workdir /tmp cc pwd", "exec -w"),
    row("a directory that is a link", UP + "docker exec -w /bin cc pwd", "exec -w"),
    row("no command", UP + "docker exec cc", "exec"),
    row("an unknown flag", UP + "docker exec --nope cc true", "exec"),
    says("kill an unknown signal", UP + "docker kill -s NOPE cc", "kill", rc=1, why="28 says what it was for",
         err="Error response from daemon: cannot kill container: cc: invalid signal: NOPE"),
    row("kill two, one missing", UP + "docker kill nope cc", "kill"),
]

RUNS = [
    row("init is the parent", RUN + "--init box sh -c 'cat /proc/$PPID/comm | wc -l'", "run --init"),
    row("init passes the code on", RUN + "--init box sh -c 'exit 5'", "run --init"),
    row("init and a signal", RUN + "--init box sh -c 'kill -9 $$'", "run --init"),
    row("no init", RUN + "--init=false box sh -c 'exit 6'", "run --init"),
    row("memory by its long name", RUN + "--memory 64m box echo fits", "run --memory"),
    row("memory that is no size", "docker run -m lots box true", "run --memory"),
    row("memory below zero", "docker run --memory=-1m box true", "run --memory"),
    row("half a processor", RUN + "--cpus 0.5 box echo runs", "run --cpus"),
    row("processors that are no number", "docker run --cpus many box true", "run --cpus"),
    row("open files, soft and hard", RUN + "--ulimit nofile=256:512 box sh -c 'ulimit -Sn; ulimit -Hn'", "run --ulimit"),
    row("open files, one number", RUN + "--ulimit nofile=300 box sh -c 'ulimit -Sn; ulimit -Hn'", "run --ulimit"),
    row("no core files", RUN + "--ulimit core=0:0 box sh -c 'ulimit -c'", "run --ulimit"),
    row("a limit there is not", "docker run --ulimit nope=1 box true", "run --ulimit"),
    row("a soft limit above the hard one", "docker run --ulimit nofile=9:8 box true", "run --ulimit"),
    row("a limit without a number", "docker run --ulimit nofile box true", "run --ulimit"),
    row("a capability more", RUN + "--cap-add SYS_ADMIN box echo runs", "run --cap-add"),
    row("its own name", RUN + "--hostname inside box hostname", "run --hostname"),
    row("a name server", RUN + "--dns 192.0.2.7 box grep -c 192.0.2.7 /etc/resolv.conf", "run --dns"),
    row("shared memory", RUN + "--shm-size 32m box sh -c 'df -k /dev/shm | tail -1 | tr -s \" \" | cut -d\" \" -f2'",
        "run --shm-size"),
    row("this platform", RUN + "--platform linux/amd64 box echo runs", "run --platform"),
    row("this platform by its system", RUN + "--platform linux box echo runs", "run --platform"),
    row("this platform, created", "docker create --platform linux/amd64 box true | wc -c", "run --platform"),
    row("this platform, detached", "docker run -d --platform=linux/amd64 --network none box sleep 9 | wc -c",
        "run --platform"),
    row("this platform, by its short flags", RUN + "-i --platform linux/amd64 box echo ran </dev/null", "run --platform"),
    says("another platform", "docker run --platform linux/s390x box true", "run --platform", rc=125,
         why="csbx emulates no other machine and says so",
         err="docker: --platform linux/s390x: this machine is linux/amd64, and csbx does not emulate another\n\n"
             "Run 'docker run --help' for more information"),
    row("a port that is none", "docker run -p nope:80 box true", "run -p"),
    row("a port beyond all", "docker run -p 80:99999 box true", "run -p"),
    row("a port published and bound", "docker create --name cc -p 127.0.0.1:8123:8123 box >/dev/null; "
        "docker inspect -f '{{json .HostConfig.PortBindings}}' cc", "run -p"),
]

IMPORT = [
    row("a tar as an image", "mkdir -p t/etc; echo 1 >t/etc/f; tar -C t -cf t.tar .; docker import t.tar imp:1 | wc -c; "
        "docker images --format '{{.Repository}}:{{.Tag}}' imp", "import"),
    row("a tar by standard input", "tar -cf - -C /etc hostname | docker import - imp:2 >/dev/null; "
        "docker images -q imp:2 | wc -l", "import"),
    row("a change on import", "tar -cf t.tar -C /etc hostname; docker import -c 'CMD [\"/x\"]' -c 'ENV A=b' t.tar imp:3 "
        ">/dev/null; docker inspect -f '{{json .Config.Cmd}} {{json .Config.Env}}' imp:3", "import"),
    row("no file to import", "docker import nofile.tar imp:4 2>&1 | grep -c 'no such file'", "import"),
    row("import without operand", "docker import", "import"),
    row("a bad name for an import", "tar -cf t.tar -C /etc hostname; docker import t.tar 'Imp:4'", "import"),
]

LEFT = [
    row("a volume by its id is no one container's", "v=$(docker volume create); " + RUN + "-v $v:/x box sh -c 'echo in >/x/f'; "
        "docker run --network none --name cc --mount type=volume,src=$v,dst=/x box cat /x/f; docker rm -v cc; "
        "docker volume ls -q | wc -l", "run --rm, rm -v, run -v, run --mount"),
    row("what could not be made leaves no volume", "docker create --name cc box >/dev/null; docker create --name cc -v /a box "
        "2>/dev/null; " + RUN + "-v /a --mount type=bind,src=/nope,dst=/x box true 2>/dev/null; " + RUN + "-v /a box nosuch "
        "2>/dev/null; docker volume ls -q | wc -l", "run -v, create"),
    row("the name of an image that runs", UP + "docker rmi box:latest; docker rmi -f box; docker exec cc echo still",
        "rmi -f", rules=[(r'"box"', '"box:latest"')]),
    says("limits and capabilities are shown", "docker create --name cc --network none --ulimit nofile=100:200 --cap-add net_admin "
        "--cap-add CAP_SYS_ADMIN --cap-drop all box >/dev/null; docker inspect -f '{{json .HostConfig.Ulimits}} "
        "{{json .HostConfig.CapAdd}} {{json .HostConfig.CapDrop}}' cc", "run --ulimit, run --cap-add, run --cap-drop",
         why="20.10's command line shows capabilities as they were written, 28's in one form",
         out='[{"Name":"nofile","Hard":200,"Soft":100}] ["CAP_NET_ADMIN","CAP_SYS_ADMIN"] ["ALL"]\n'),
    row("an id that cannot be told makes no container", "docker run --network none --cidfile no/such/c box true; "
        "docker ps -aq", "run --cidfile"),
    row("renaming to nothing", UP + "docker rename cc ''; docker rename '' cc; docker ps --format '{{.Names}}'", "rename"),
    row("a volume's name is too short", "docker create --mount type=volume,src=w,dst=/d box", "run --mount"),
    row("variables from nothing and from a pipe", RUN + "--env-file /dev/null box true; bash -c '" + RUN + "--env-file "
        "<(echo A=1; sleep 0.3; echo B=2) box sh -c \"echo \\$A \\$B\"'", "run --env-file"),
]

ROWS = [*EXEC, *RUNS, *IMPORT, *LEFT]
for area, rows in (("exec", EXEC), ("run", RUNS), ("import", IMPORT), ("left", LEFT)):
    for r in rows:
        r.name = f"{area}: {r.name}"
