# SPDX-License-Identifier: Apache-2.0
"""exec, and what is done to a container that is there: start, stop, kill, rm, wait, pause, rename, logs, attach."""
from table import row, says

UP = "docker run -d --network none --name box1 box sleep 300 >/dev/null; "
TRAP = ("docker run -d --network none --name box1 box sh -c 'trap \"echo got; exit 7\" TERM; echo up; "
        "while :; do sleep 0.05; done' >/dev/null; until docker logs box1 | grep -q up; do :; done; ")
V28 = "the text and code are Docker 28's; 20.10 has others"
EXEC = "OCI runtime exec failed: exec failed: unable to start container process: "

HOG = 'python3 -c "a = bytearray([1]) * (1 << 30)"'
SMALL = "docker run -d --network none -m 100m --name box1 app sleep 300 >/dev/null; "

ROWS = [
    # --- exec
    row("exec's exit code", UP + "docker exec box1 sh -c 'exit 5'", "exec"),
    row("exec's streams", UP + "docker exec box1 sh -c 'echo out; echo err >&2'", "exec"),
    row("exec killed", UP + "docker exec box1 sh -c 'kill -9 $$'", "exec"),
    row("exec -i", UP + "echo in | docker exec -i box1 cat; echo in | docker exec box1 cat", "exec -i"),
    row("exec -i sees the end", UP + "printf abc | docker exec -i box1 wc -c", "exec -i"),
    row("exec writes a file from stdin", UP + "printf data | docker exec -i box1 sh -c 'cat >/f'; docker exec box1 cat /f",
        "exec -i"),
    row("exec -e", UP + "docker exec -e A=1 -e B box1 sh -c 'echo $A [$B]'", "exec -e"),
    row("exec --env-file", UP + "echo X=1 >f; docker exec --env-file f -e Y=2 box1 sh -c 'echo $X $Y'", "exec --env-file"),
    row("exec has the container's environment", "docker run -d --network none --name box1 -e A=run box sleep 300 >/dev/null; "
        "docker exec box1 sh -c 'echo $A'; docker exec -e A=exec box1 sh -c 'echo $A'", "exec -e"),
    row("exec -w", UP + "docker exec -w /tmp box1 pwd; docker exec box1 pwd", "exec -w"),
    row("exec in the container's directory", "docker run -d --network none --name box1 -w /tmp box sleep 300 >/dev/null; "
        "docker exec box1 pwd", "exec -w"),
    row("exec -u by name", UP + "docker exec -u app box1 sh -c 'id -un; id -u; echo $HOME'", "exec -u"),
    row("exec -u by number", UP + "docker exec -u 1000:1000 box1 sh -c 'id -u; id -g'", "exec -u"),
    row("exec -t", UP + "docker exec -t box1 sh -c 'tty; echo err >&2' | od -c", "exec -t", merged=True),
    row("exec -it without a terminal", UP + "docker exec -it box1 true", "exec -t, exec -i"),
    row("exec -d", UP + "docker exec -d box1 sh -c 'echo done >/f'; until docker exec box1 test -e /f; do :; done; "
        "docker exec box1 cat /f", "exec -d"),
    row("state stays between execs", UP + "docker exec box1 touch /tmp/x; docker exec box1 ls /tmp/x", "exec"),
    row("a background process does not hold exec", UP + "docker exec box1 sh -c 'sleep 60 & echo up'", "exec"),
    row("exec by a short id", UP + "docker exec $(docker ps -q) echo ok", "exec"),
    row("flags behind the container are the command's", UP + "docker exec box1 echo -e -w --foo", "exec"),
    says("exec of a program that is not there", UP + "docker exec box1 nosuch", "exec", rc=127, why=V28,
         out=EXEC + 'exec: "nosuch": executable file not found in $PATH: unknown\n'),
    row("exec of a file that is no program", UP + "docker exec box1 /etc/passwd", "exec"),
    says("exec in a directory that is not there", UP + "docker exec -w /nope/x box1 pwd", "exec -w", rc=127, why=V28,
         out=EXEC + 'chdir to cwd ("/nope/x") set in config.json failed: no such file or directory: unknown\n'),
    row("exec in a relative directory", UP + "docker exec -w rel box1 pwd", "exec -w"),
    row("exec as nobody known", UP + "docker exec -u nosuch box1 id", "exec -u"),
    row("exec -d of a program that is not there", UP + "docker exec -d box1 nosuch", "exec -d"),
    row("exec in no container", "docker exec nosuch true", "exec"),
    says("exec in a stopped container", "docker create --name box1 box true >/dev/null; docker exec $(docker ps -aq) true",
         "exec", rc=1, why=V28, err="Error response from daemon: container " + "1" * 64 + " is not running\n",
         rules=[(r"<ID\d+>|1{64}", "<ID>")]),
    says("exec without a command", "docker exec box1", "exec", rc=1, why=V28,
         err="docker: 'docker exec' requires at least 2 arguments\n\nUsage:  docker exec [OPTIONS] CONTAINER COMMAND "
             "[ARG...]\n\nSee 'docker exec --help' for more information\n"),
    says("exec with an unknown flag", "docker exec --foo box1 true", "exec", rc=125, why=V28,
         err="unknown flag: --foo\n\nUsage:  docker exec [OPTIONS] CONTAINER COMMAND [ARG...]\n\n"
             "Run 'docker exec --help' for more information\n"),
    # --- stop, kill, wait
    row("stop asks first", TRAP + "docker stop box1; docker wait box1; docker logs box1", "stop, wait"),
    row("stop of what cannot hear", UP + "docker stop -t 1 box1; docker wait box1", "stop -t"),
    row("stop of several, one missing", UP + "docker stop -t 0 box1 nosuch", "stop -t"),
    row("stop of a stopped one", UP + "docker stop -t 0 box1; docker stop box1", "stop"),
    row("stop --time", TRAP + "docker stop --time=5 box1; docker wait box1", "stop --time"),
    row("stop of nothing", "docker stop nosuch", "stop"),
    row("kill", UP + "docker kill box1; docker wait box1", "kill, wait"),
    row("kill with a signal", TRAP + "docker kill -s TERM box1; docker wait box1", "kill -s"),
    row("kill with a number", TRAP + "docker kill --signal=15 box1; docker wait box1", "kill -s"),
    says("kill of nothing", "docker kill nosuch", "kill", rc=1, why=V28,
         err="Error response from daemon: cannot kill container: nosuch: No such container: nosuch\n"),
    says("kill of a stopped one", "docker create --name box1 box true >/dev/null; docker kill box1", "kill", rc=1, why=V28,
         err="Error response from daemon: cannot kill container: box1: container " + "1" * 64 + " is not running\n",
         rules=[(r"<ID\d+>|1{64}", "<ID>")]),
    row("wait of several", "docker run -d --network none --name a1 box sh -c 'exit 3' >/dev/null; "
        "docker run -d --network none --name b1 box true >/dev/null; docker wait a1 b1", "wait"),
    row("wait of nothing", "docker wait nosuch", "wait"),
    # --- rm
    row("rm", "docker create --name box1 box true >/dev/null; docker rm box1; docker ps -aq", "rm"),
    row("rm -f of what runs", UP + "docker rm -f box1; docker ps -aq", "rm -f"),
    row("rm of nothing", "docker rm nosuch", "rm"),
    row("rm -f of nothing", "docker rm -f nosuch", "rm -f"),
    row("rm of several, one missing", "docker create --name box1 box true >/dev/null; docker rm nosuch box1", "rm"),
    row("rm -v", "docker run --network none --name box1 -v /d box true; docker rm -v box1; docker ps -aq", "rm -v"),
    says("rm of what runs", UP + "docker rm box1", "rm", rc=1, why=V28,
         err='Error response from daemon: cannot remove container "/box1": container is running: stop the container '
             "before removing or force remove\n"),
    row("rm by the long form", "docker container create --name box1 box true >/dev/null; docker container rm box1", "rm"),
    # --- start, restart, pause, rename, attach
    row("start again keeps its files", "docker run --network none --name box1 box sh -c 'echo x >>/f; cat /f'; "
        "docker start -a box1; docker rm box1", "start -a"),
    row("start of what runs", UP + "docker start box1", "start"),
    row("start of nothing", "docker start nosuch", "start"),
    row("start of several, one missing", "docker create --name box1 box true >/dev/null; docker start nosuch box1", "start"),
    row("start -a of two", "docker start -a a1 b1", "start -a"),
    row("restart", UP + "docker restart -t 0 box1; docker exec box1 echo up", "restart -t"),
    row("restart of nothing", "docker restart nosuch", "restart"),
    row("pause, unpause", UP + "docker pause box1; docker unpause box1; docker exec box1 echo on", "pause, unpause"),
    row("pause of nothing", "docker pause nosuch; docker unpause nosuch", "pause, unpause"),
    row("rename", UP + "docker rename box1 box2; docker exec box2 echo ok; docker exec box1 true", "rename"),
    row("rename to the same", UP + "docker rename box1 box1", "rename"),
    row("rename of nothing", "docker rename nosuch other", "rename"),
    row("rename to a name that is taken", UP + "docker create --name other1 box >/dev/null; docker rename box1 other1",
        "rename"),
    row("attach of nothing", "docker attach nosuch", "attach"),
    row("attach of what is stopped", "docker create --name box1 box true >/dev/null; docker attach box1", "attach"),
    row("attach gets the end", "docker run -d --network none --name box1 box sh -c "
        "'while ! test -e /go; do sleep 0.05; done; exit 6' >/dev/null; docker attach --no-stdin box1 & "
        "docker exec box1 touch /go; wait $!", "attach"),
    # --- logs
    row("logs", "docker run --network none --name box1 box sh -c 'echo out; echo err >&2'; docker logs box1", "logs"),
    row("logs --tail", "docker run --network none --name box1 box sh -c 'for i in 1 2 3; do echo $i; done' >/dev/null; "
        "docker logs --tail 2 box1; docker logs -n 0 box1; docker logs --tail all box1", "logs --tail"),
    row("logs -f ends", "docker run -d --network none --name box1 box sh -c 'echo a; sleep 0.3; echo b' >/dev/null; "
        "docker logs -f box1", "logs -f"),
    row("logs -t", "docker run --network none --name box1 box sh -c 'echo a; echo b' >/dev/null; docker logs -t box1",
        "logs -t"),
    row("logs --since", "docker run --network none --name box1 box echo a >/dev/null; docker logs --since 1h box1; "
        "docker logs --since 2100-01-01 box1; docker logs --until 1m box1", "logs --since"),
    row("logs of nothing", "docker logs nosuch", "logs"),
    row("a last line without an end", "docker run --network none --name box1 box printf 'a\\nb' >/dev/null; "
        "docker logs --tail 1 box1", "logs --tail"),
    # --- out of memory
    row("an exec out of memory", SMALL + f"docker exec box1 {HOG}; echo $?; docker exec box1 echo alive; "
        "docker inspect -f '{{.State.Running}}' box1; docker kill box1 >/dev/null; docker wait box1; "
        "docker inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' box1", "exec, run --memory"),
    row("a child out of memory", f"docker run --network none -m 100m --name box1 app sh -c 'echo up; {HOG}; "
        "echo rc=$?; exit 5' 2>/dev/null; echo $?; docker inspect -f '{{.State.OOMKilled}} {{.State.Status}}' box1",
        "run --memory"),
    row("the main process out of memory", f"docker run --network none -m 100m --name box1 app {HOG}; echo $?; "
        "docker inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' box1; docker start box1; docker wait box1",
        "run --memory, start"),
]
