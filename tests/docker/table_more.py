# SPDX-License-Identifier: Apache-2.0
"""Verbs that people use besides: top, stats, export, system, context, volumes, and pruning."""
from table import row, says

SLEEP = "docker run -d --name cc --network none box sleep 1000 >/dev/null\n"
STOPPED = "docker create --name cr --network none box true >/dev/null\n"
INVALID = [("Invalid filter", "invalid filter")]  # 28 writes it small
LISTED = "docker volume ls -q"

TOP = [
    row("what runs in it", SLEEP + "docker top cc -eo pid,args | sed 's/^[0-9]* *//'", "top"),
    row("its heads and one line", SLEEP + "docker top cc | awk '{print NF, $NF}'", "top"),
    row("every child", "docker run -d --name cc --network none box sh -c 'sleep 1000 & sleep 2000 & wait' >/dev/null\n"
        "until [ $(docker top cc -eo pid,comm | wc -l) = 4 ]; do sleep 0.05; done\n"
        "docker top cc -eo pid,args | sed 's/^[0-9]* *//' | sort", "top"),
    row("no column of pids", SLEEP + "docker top cc -eo comm", "top"),
    row("nothing runs", STOPPED + "docker top cr", "top"),
    row("none of that name", "docker top nope", "top"),
    row("no operand", "docker top", "top"),
    row("an option there is not", SLEEP + "docker top cc --nope >/dev/null 2>&1; echo $?", "top"),
]

STATS = [
    row("heads", "docker stats --no-stream", "stats"),
    row("one that runs", SLEEP + "docker stats --no-stream --format '{{.Name}} {{.PIDs}} {{.Container}}' cc", "stats"),
    row("one that does not", STOPPED + "docker stats --no-stream -a --format "
        "'{{.Name}} {{.CPUPerc}} {{.MemUsage}} {{.MemPerc}} {{.PIDs}}'", "stats"),
    row("its limit", "docker run -d --name cc --network none --memory 64m box sleep 1000 >/dev/null\n"
        "docker stats --no-stream --format '{{.MemUsage}}' cc | sed 's/.* //'", "stats, run --memory"),
    row("none of that name", "docker stats --no-stream nope", "stats"),
    row("a field there is not", SLEEP + "docker stats --no-stream --format '{{.Nope}}' cc >/dev/null 2>&1; echo $?",
        "stats"),
]

EXPORT = [
    row("a file of the image's", STOPPED + "docker export cr | tar -xOf - etc/passwd | wc -l", "export"),
    row("what was written", "docker run --name cc --network none box sh -c 'echo new >/made'\n"
        "docker export -o t.tar cc; tar -xOf t.tar made", "export"),
    row("mounts are left out", "mkdir m; echo x >m/in; docker run -d --name cc --network none -v $PWD/m:/mnt box sleep 99 "
        ">/dev/null\ndocker export cc | tar -tf - | grep -e ^mnt -e ^proc/.", "export"),
    row("an image again", SLEEP + "docker exec cc sh -c 'echo kept >/made'; docker export cc | docker import - out:1 >/dev/null\n"
        "docker run --rm --network none out:1 cat /made", "export, import"),
    row("none of that name", "docker export nope", "export"),
    row("two of them", "docker export a b", "export"),
    row("into a device", STOPPED + "docker export -o /dev/null cr; docker save -o /dev/null box; test -c /dev/null && echo there",
        "export, save -o"),
    row("a failure leaves an old file", "echo old >f; docker export -o f nope; cat f", "export"),
    row("into a missing directory", STOPPED + "docker export -o nothere/f cr", "export"),
]

SYSTEM = [
    row("of what there is", "docker system df --format '{{.Type}} {{.Active}}'", "system df"),
    row("containers and volumes", SLEEP + STOPPED + "docker volume create vv >/dev/null\n"
        "docker system df --format '{{.Type}} {{.TotalCount}} {{.Active}}' | grep -v Images", "system df"),
    row("heads", "docker system df | head -1", "system df"),
    says("in length and by a template", "docker system df -v --format '{{.Type}}'", "system df", rc=1,
         why="csbx has the long form as a text only", err="the verbose and the format options conflict"),
    row("chapters", STOPPED + "docker system df -v | grep usage:", "system df"),
    row("with an operand", "docker system df x", "system df"),
    row("prune what has stopped", STOPPED + "docker system prune -f", "system prune"),
    row("prune nothing", SLEEP + "docker system prune -f; docker ps -q | wc -l", "system prune"),
    row("prune with volumes", "docker create --name cr -v /anon --network none box >/dev/null\ndocker rm cr >/dev/null\n"
        "docker system prune -f --volumes | sed -n 1p; " + LISTED, "system prune",
        rules=[(r"\A.*\Z", "")]),
    row("prune by time and volumes", "docker system prune -f --volumes --filter until=1h", "system prune"),
    says("prune and no answer", "docker system prune </dev/null", "system prune", why="28 speaks of an unused build cache",
         out="WARNING! This will remove:\n  - all stopped containers\n"
             "  - all networks not used by at least one container\n  - all dangling images\n  - unused build cache\n\n"
             "Are you sure you want to continue? [y/N] "),
]

CONTEXT = [
    row("the names", "unset DOCKER_HOST; docker context ls -q", "context"),
    row("use it", "unset DOCKER_HOST; docker context use default", "context"),
    row("use another", "docker context use nope >/dev/null 2>&1; echo $?", "context"),
    says("show it", "docker context show", "context", why="28 has it, 20.10 had not", out="default\n"),
]

OTHERS = [
    says("update", "docker create --name ca --network none box true >/dev/null; docker update -m 64m --cpus 1.5 --restart always ca\n"
         "docker inspect -f '{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} {{.HostConfig.RestartPolicy.Name}}' ca", "update",
         why="the daemon that is asked may have no control groups", out="ca\n67108864 1500000000 always\n"),
    says("update of nothing", "docker update --memory 64m x", "update", rc=1, why="28 has another text before the name",
         err="Error response from daemon: No such container: x"),
    says("a network", "docker network create mine 2>/dev/null | wc -c; docker network ls -q --filter name=mine | wc -l\n"
         "docker network rm mine", "network create", why="the daemon that is asked can make no bridge", out="65\n1\nmine\n"),
    row("networks by driver", "docker network ls --filter driver=null --format '{{.Name}}'", "network ls"),
]

# The daemon lists changes in no order. $J is a directory of the image with some files.
CHANGED = "docker run --name cr --network none app sh -c 'J=$(python3 -c \"import json; print(json.__path__[0])\"); %s' " \
          ">/dev/null; docker diff cr | LC_ALL=C sort -k2"

PYTHON = [(r"python3\.\d+", "python3"), (r"cpython-\d+", "cpython")]

DIFF = [
    row("of what was made, changed and deleted", CHANGED % "echo x >/new; mkdir -p /d/e; touch /d/e/f; chmod 700 /tmp; "
        "ln -s a /l; rm $J/scanner.py; echo >>$J/tool.py", "diff", rules=PYTHON),
    row("of one that runs", "docker run -d --name cr --network none box sh -c 'mkdir /a; touch /a/b; rm /etc/group; mkdir /up; "
        "sleep 1000' >/dev/null; until docker exec cr test -e /up; do sleep 0.1; done; docker diff cr | LC_ALL=C sort -k2", "diff"),
    row("of a directory made anew", CHANGED % "rm -r $J; mkdir $J; echo >$J/scanner.py; echo >$J/more", "diff", rules=PYTHON),
    row("of a directory made anew with what it had", CHANGED % "cp -a $J /kept; rm -r $J; cp -a /kept $J; rm -r /kept", "diff", rules=PYTHON),
    row("of a file where a directory was", CHANGED % "rm -r $J; echo >$J", "diff", rules=PYTHON),
    row("of a directory where a file was", CHANGED % "rm $J/tool.py; mkdir -p $J/tool.py/x", "diff", rules=PYTHON),
    row("of a directory that went", CHANGED % "rm -r $J", "diff", rules=PYTHON),
    row("of one that was renamed", CHANGED % "mv $J /moved", "diff", rules=PYTHON),
    row("of what is again as it was", CHANGED % "chmod 600 $J/tool.py; chmod 644 $J/tool.py; touch /x; rm /x", "diff", rules=PYTHON),
    row("of an owner", CHANGED % "mkdir -m 700 /p; touch /p/f; chown -R 1234:5 /p; chown 5 $J/tool.py", "diff", rules=PYTHON),
    row("of a time alone", CHANGED % "touch $J/tool.py $J", "diff", rules=PYTHON),
    row("of a link instead of a file", CHANGED % "rm $J/tool.py; ln -s x $J/tool.py; ln $J/scanner.py /hard", "diff", rules=PYTHON),
    row("of none that it began", "docker create --name cr --network none box >/dev/null; docker diff cr; docker diff /cr", "diff"),
    row("of its mounts", "docker run --name cr --network none -v /anon -v $PWD:/mnt/h --tmpfs /t/u -w /work/x box sh -c "
        "'touch /anon/f /mnt/h/f /t/u/f'; docker diff cr | LC_ALL=C sort -k2", "diff"),
    row("of what docker made", "docker run --name cr --network none -h name --add-host a:1.2.3.4 box sh -c "
        "'echo x >>/etc/hosts; echo x >>/etc/resolv.conf; echo >/dev/shm/f'; docker diff cr", "diff"),
    row("of none there is", "docker diff nobody", "diff"),
    row("of two", "docker diff a b", "diff"),
    row("of one without a name", "docker diff ''", "diff"),
]

VOLUMES = [
    row("create", "docker volume create vv; " + LISTED, "volume create, volume ls"),
    row("create again", "docker volume create vv; docker volume create vv; " + LISTED, "volume create"),
    row("create without a name", "docker volume create | wc -c; " + LISTED + " | wc -l", "volume create"),
    row("a bad name", "docker volume create a/b", "volume create"),
    row("two names", "docker volume create a b", "volume create"),
    row("names and drivers", "docker volume create v1 >/dev/null; docker volume create v2 >/dev/null; docker volume ls",
        "volume ls"),
    row("by name", "docker volume create v1 >/dev/null; docker volume create w2 >/dev/null; docker volume ls -q -f name=w",
        "volume ls"),
    row("those nobody has", "docker volume create v1 >/dev/null\ndocker create -v v2:/x --network none box >/dev/null\n"
        "docker volume ls -q -f dangling=true", "volume ls"),
    row("by a template", "docker volume create v1 >/dev/null; docker volume ls --format '{{.Driver}}/{{.Name}}'", "volume ls"),
    row("a filter there is not", "docker volume ls -f nope=1", "volume ls", rules=INVALID),
    row("remove", "docker volume create v1 >/dev/null; docker volume create v2 >/dev/null; docker volume rm v1 v2; " + LISTED,
        "volume rm"),
    row("remove none", "docker volume rm nope", "volume rm"),
    row("remove none by force", "docker volume rm -f nope", "volume rm"),
    row("remove one in use", "docker create --name cr -v vv:/x --network none box >/dev/null; docker volume rm vv", "volume rm"),
    row("remove without a name", "docker volume rm", "volume rm"),
    row("what is in it stays", "docker run --rm --network none -v vv:/x box sh -c 'echo kept >/x/f'\n"
        "docker run --rm --network none -v vv:/x box cat /x/f; docker volume rm vv", "volume rm, run -v"),
    row("prune", "docker create -v /anon --name cr --network none box >/dev/null; docker rm cr >/dev/null\n"
        "docker volume prune -f | sed -n '1p;3,$p'; " + LISTED, "volume prune"),
    row("prune with nothing to do", "docker create -v vv:/x --name cr --network none box >/dev/null\n"
        "docker volume prune -f; " + LISTED, "volume prune"),
    row("prune by a bad filter", "docker volume prune -f --filter nope=1", "volume prune", rules=INVALID),
    row("prune with an operand", "docker volume prune x", "volume prune"),
]

PRUNE = [
    row("what has stopped", SLEEP + STOPPED + "docker container prune -f; docker ps -a --format '{{.Names}}'",
        "container prune"),
    row("nothing", "docker container prune -f", "container prune"),
    row("by label", STOPPED + "docker create --name cl --label a=b --network none box >/dev/null\n"
        "docker container prune -f --filter label=a=b; docker ps -a --format '{{.Names}}'", "container prune"),
    row("all but a label", STOPPED + "docker create --name cl --label a=b --network none box >/dev/null\n"
        "docker container prune -f --filter label!=a; docker ps -a --format '{{.Names}}'", "container prune"),
    row("of long ago", STOPPED + "docker container prune -f --filter until=24h; docker ps -aq | wc -l", "container prune"),
    row("a bad filter", "docker container prune -f --filter nope=1", "container prune", rules=INVALID),
    says("no answer", STOPPED + "docker container prune </dev/null; docker ps -aq | wc -l", "container prune",
         why="28 leaves it there, 20.10 went on to sum up nothing",
         out="WARNING! This will remove all stopped containers.\nAre you sure you want to continue? [y/N] 1\n"),
    row("an operand", "docker container prune x", "container prune"),
]

GROUPS = [
    row("a number", "docker run --rm --network none --group-add 4242 box sh -c 'id -G | tr \" \" \"\\n\" | grep -x 4242'",
        "run --group-add"),
    row("a name", "docker run --rm --network none --user 1000:1000 --group-add staff box id -G",
        "run --group-add"),
    row("in an exec too", "docker run -d --name cc --network none --user 1000:1000 --group-add 77 box sleep 99 >/dev/null\n"
        "docker exec cc id -G", "run --group-add, exec"),
    row("no such name", "docker run --rm --network none --group-add nosuch box true", "run --group-add"),
]

ROWS = []
for area, rows in (("top", TOP), ("stats", STATS), ("export", EXPORT), ("system", SYSTEM), ("context", CONTEXT),
                   ("others", OTHERS), ("diff", DIFF), ("volume", VOLUMES), ("prune", PRUNE), ("groups", GROUPS)):
    for r in rows:
        r.name = f"{area}: {r.name}"
    ROWS += rows
