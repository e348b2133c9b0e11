# SPDX-License-Identifier: Apache-2.0
"""Words that a command line says twice, by half, or not at all."""
from table import row, says

RUN = "docker run --rm --network none "
NO_HELP = [(r"\n<HELP docker run>", "")]  # 20.10 has none behind the runtime's texts
UP = "docker run -d --name cc --network none box sleep 1000 >/dev/null\n"

MOUNTS = [
    row("the same volume twice", RUN + "-v $PWD:/x -v $PWD:/x box ls /x", "run -v"),
    row("the same anonymous volume twice", RUN + "-v /x -v /x box true; docker volume ls -q | wc -l", "run -v"),
    row("two sources at one place", "mkdir a b; " + RUN + "-v $PWD/a:/x -v $PWD/b:/x box true", "run -v"),
    row("one place by two flags", RUN + "-v $PWD:/x --mount type=bind,src=$PWD,dst=/x box true", "run -v, run --mount"),
    row("a mount twice", RUN + "--mount type=tmpfs,dst=/x --mount type=tmpfs,dst=/x box true", "run --mount"),
    row("a tmpfs twice", RUN + "--tmpfs /x:size=1m --tmpfs /x:size=2m box sh -c 'df -k /x | tail -1 | tr -s \" \" | cut -d\" \" -f2'",
        "run --tmpfs"),
    row("a tmpfs where a volume is", RUN + "--tmpfs /x -v $PWD:/x box true", "run --tmpfs, run -v"),
    row("an anonymous volume where another mount is", "echo in >f; " + RUN + "-v /x -v $PWD:/x box cat /x/f; "
        "docker volume ls -q | wc -l", "run -v"),
    row("mounts as they were asked for", "docker create --name cc --mount type=bind,src=/etc,dst=/x,readonly --mount "
        "type=tmpfs,dst=/y,tmpfs-size=1m,tmpfs-mode=1777 --mount type=volume,dst=/v box >/dev/null; "
        "docker inspect -f '{{json .HostConfig.Mounts}}' cc; docker rm -v cc", "run --mount, inspect -f"),
    row("no mounts asked for", "docker create --name cc box >/dev/null; docker inspect -f '{{json .HostConfig.Mounts}} "
        "{{.HostConfig.Mounts}} {{.HostConfig.Tmpfs}}' cc", "inspect -f"),
]

USERS = [
    row("a group without a user", RUN + "--user :50 box sh -c 'id -u; id -g; echo $HOME'", "run --user"),
    row("a named group without a user", RUN + "--user :staff box sh -c 'id -u; id -gn'", "run --user"),
    row("nothing but a colon", RUN + "--user : box id", "run --user"),
    row("a user and an empty group", RUN + "--user app: box id -G -n", "run --user", rules=[("app staff|staff app", "BOTH")]),
    row("the main group is among the groups", RUN + "box id", "run"),
    row("the main group asked for as well", RUN + "--group-add 0 box id", "run --group-add"),
    row("the main group of an exec", UP + "docker exec cc id; docker exec -u 0:50 cc id -G; docker exec -u :50 cc id -G",
        "exec -u"),
]

COMMANDS = [
    row("an empty command", RUN + "box '' a", "run", rules=NO_HELP),
    row("an empty entry point and an empty command", RUN + "--entrypoint '' box ''", "run --entrypoint", rules=NO_HELP),
    says("more rights for an exec", UP + "docker exec --privileged cc true", "exec --privileged",
         why="docker refuses nobody here: csbx cannot give more rights and says so",
         err="WARNING: --privileged is without effect in csbx: a container never has more rights than its user\n"),
    row("details there are none of", "docker run --network none --name cc box sh -c 'echo a; echo b' >/dev/null; "
        "docker logs --details cc; docker logs --details -t cc | wc -l", "logs --details"),
    row("no container but an image of that name: cp", "echo x >f; docker cp f box:/f; docker cp box:/etc/passwd -", "cp",
        rules=[(r"Error: No such container:path: (\w+):\S+", r"Error response from daemon: No such container: \1")]),
    row("no container but an image of that name: export", "docker export box | wc -c", "export"),
    row("copies at once into one that is stopped", "docker create --name cc box >/dev/null; for i in 1 2 3 4 5 6; do echo $i >f$i; "
        "docker cp f$i cc:/f$i & done; wait; docker start -a cc; docker cp cc:/f1 -|wc -c; for i in 1 2 3 4 5 6; do "
        "docker cp cc:/f$i - | tar -xO; done", "cp"),
]

# The steps of a harness that builds an image a step at a time.
WORK = ("docker run -d --name cc --network none -e B=2 --label q=r -w /x --entrypoint sh box -c 'sleep 1000' >/dev/null\n"
        "docker exec cc sh -c 'echo new >/new; rm /usr/bin/wc; mkdir /d; echo x >/d/f; chmod 600 /d/f; ln -s new /l'\n")

# Docker has the variables of run before those of the image.
ENV_ORDER = [(r'"B=2","(PATH=[^"]*)"', r'"\1","B=2"')]

COMMIT = [
    row("the work of a container as an image", WORK + "docker commit cc done:1 | cut -c1-7; docker rm -f cc >/dev/null\n"
        "docker run --rm --network none --entrypoint sh done:1 -c 'cat /l /d/f; ls -l /d/f | cut -c1-10; ls /usr/bin/wc 2>&1; "
        "pwd; echo $B'", "commit"),
    row("what an image of a container starts", WORK + "docker commit cc done:1 >/dev/null; docker image inspect -f '{{json "
        ".Config.Cmd}} {{json .Config.Entrypoint}} {{json .Config.Env}} {{json .Config.Labels}} {{.Config.WorkingDir}}' done:1",
        "commit, image inspect", rules=ENV_ORDER),
    row("changes with a commit", WORK + "docker commit -m said -a me -c 'ENV Z=1' -c 'CMD [\"a\"]' --change 'LABEL x=y' cc "
        "done:1 >/dev/null; docker image inspect -f '{{.Comment}} {{.Author}} {{json .Config.Cmd}} {{json .Config.Env}} "
        "{{json .Config.Labels}}' done:1; docker inspect -f '{{.State.Status}}' cc", "commit", rules=ENV_ORDER),
    row("a commit of one that is stopped, without a name", WORK + "docker stop -t 0 cc >/dev/null; id=$(docker commit -p=false cc); "
        "docker run --rm --network none --entrypoint cat $id /new; docker rmi $id | cut -d: -f1 | tail -1", "commit"),
    row("the history of a commit, and of one of that", "docker run --name cc --network none app sh -c 'echo 1 >/new'\n"
        "docker commit -m first cc done:1 | cut -c1-7; docker rm cc\ndocker run --name cc --network none done:1 sh -c 'echo 2 >/new'\n"
        "docker commit -m second -c 'ENV A=1' cc done:2 | cut -c1-7; docker rm cc\n"
        "docker history --no-trunc --format '{{.CreatedBy}}|{{.Comment}}' done:2\n"
        "for i in app done:1 done:2; do docker image inspect -f '{{len .RootFS.Layers}}' $i; done", "commit, history"),
    row("a commit of a paused one", WORK + "docker pause cc >/dev/null; docker commit cc done:1 | cut -c1-7; "
        "docker inspect -f '{{.State.Status}}' cc; docker unpause cc >/dev/null", "commit, pause"),
    row("a commit of nothing", "docker commit nosuch done:1; docker images -q done", "commit"),
    row("a change that is none", WORK + "docker commit -c 'FOO x' cc done:1; docker images -q done", "commit"),
    row("a commit without a container", "docker commit", "commit"),
    row("a commit to a digest", "docker commit cc box@sha256:" + "0123456789abcdef" * 4, "commit"),
    row("a commit to a bad name", "docker commit cc 'a b'", "commit"),
    row("an import to a digest", "docker import - box@sha256:" + "0123456789abcdef" * 4 + " </dev/null", "import"),
    row("an import to an empty name", "tar -cf t.tar -C /etc hostname; docker import t.tar '' | cut -c1-7", "import"),
    row("an export onto a file", WORK + "docker export -o t.tar cc && tar -tf t.tar | grep -cx new; stat -c %a t.tar", "export"),
    row("an export of nothing onto a file", "docker export -o t.tar nosuch; ls t.tar 2>&1", "export"),
]

PORTS = [
    row("what is published is exposed", "docker create --name cc -p 80:80 -p 127.0.0.1:53:53/udp -p 9000-9001:9000-9001 --expose 7 "
        "conf:1 >/dev/null; docker inspect -f '{{json .Config.ExposedPorts}}' cc; docker rm -v cc", "run -p, inspect -f"),
]

ROOT = [
    row("root in a container of another user", "docker run -d --name cc --network none -u app box sleep 1000 >/dev/null; "
        "docker exec -u 0 cc sh -c 'touch /usr/bin/x && chown 1000 /usr/bin/x && ls -l /usr/bin/x | tr -s \" \" | cut -d\" \" -f3'; "
        "docker exec cc sh -c 'touch /usr/bin/y; grep CapEff /proc/self/status'", "exec -u, run --user"),
    row("root without capabilities", "docker run -d --name cc --network none -u app --cap-drop ALL box sleep 1000 >/dev/null; "
        "docker exec -u root cc sh -c 'grep Cap /proc/self/status; chown 5 /usr'", "exec -u, run --cap-drop"),
    row("root of an image that has another user", "docker run -d --name cc --network none --entrypoint sleep conf:1 1000 >/dev/null; "
        "docker exec -u root cc sh -c 'id -u; chown app /usr && echo may'", "exec -u"),
]

ROWS = MOUNTS + USERS + COMMANDS + COMMIT + PORTS + ROOT
