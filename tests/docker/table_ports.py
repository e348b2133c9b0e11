# SPDX-License-Identifier: Apache-2.0
"""Published ports that cannot be had. The daemon that the other rows ask has no bridge; these answers
were recorded of one that has, in a network namespace of its own."""
from table import row, says

BRIDGE = "recorded of a daemon with a bridge, which the session's daemon has not"
OURS = "Docker leaves them out in silence"
A, B = "a" * 64, "b" * 64
HELP = "\n\nRun 'docker run --help' for more information\n"
FIRST = "docker run -d --name ca -p 18471:18471 box sleep 100 >/dev/null\n"


def fails(name, why):
    return f"Error response from daemon: driver failed programming external connectivity on endpoint {name} ({B}): {why}"


def taken(port, ip="0.0.0.0"):
    return f"Bind for {ip}:{port} failed: port is already allocated"


def in_use(where, kind="tcp4"):
    return f"Error starting userland proxy: listen {kind} {where}: bind: address already in use"


def refused(name, script, options, why, container="cb"):
    """The last run of the row comes to nothing; its container is made."""
    return says(name, f"{script}docker run -d --name {container} {options} box sleep 100", "run -p", rc=125, why=BRIDGE,
                out=A + "\n", err="docker: " + fails(container, why) + HELP)


LISTEN = """python3 -c '
import socket, sys, time
s = socket.socket(); s.setsockopt(1, 2, 1); s.bind(("127.0.0.1", %d)); s.listen()
open("up", "w").close()
time.sleep(60)' & trap "kill $!" EXIT
until test -e up; do sleep 0.02; done
"""

ROWS = [
    refused("a port that another container has", FIRST, "-p 18471:18471", taken(18471)),
    refused("a range with such a port", FIRST, "-p 18469-18472:18469-18472", taken(18471)),
    refused("the same address", "docker run -d --name ca -p 127.0.0.1:18474:18474 box sleep 100 >/dev/null\n",
            "-p 127.0.0.1:18474:18474", taken(18474, "127.0.0.1")),
    refused("one address of a port that is published on all", FIRST, "-p 127.0.0.1:18471:18471", in_use("127.0.0.1:18471")),
    refused("all of a port that is published on one", "docker run -d --name ca -p 127.0.0.1:18474:18474 box sleep 100 >/dev/null\n",
            "-p 18474:18474", in_use("0.0.0.0:18474")),
    refused("a port twice", "", "-p 18473:18473 -p 18473:18473", taken(18473)),
    refused("a port twice, once of one address", "", "-p 18473:18473 -p 127.0.0.1:18473:18473", in_use("0.0.0.0:18473")),
    refused("a port that a program has", LISTEN % 18475, "-p 18475:18475", in_use("0.0.0.0:18475")),
    refused("an address that a program has", LISTEN % 18476, "-p 127.0.0.1:18476:18476", in_use("127.0.0.1:18476")),
    refused("an address of IPv6", FIRST, "-p '[::1]:18471:18471'", in_use("[::1]:18471", "tcp6")),
    says("another protocol, two addresses of a port", FIRST +
         "docker run -d --name cb -p 18471:18471/udp box sleep 100 >/dev/null && echo udp\n"
         "docker run -d --name cc -p 127.0.0.1:18474:18474 box sleep 100 >/dev/null && echo one\n"
         "docker run -d --name cd -p 127.0.0.2:18474:18474 box sleep 100 >/dev/null && echo two",
         "run -p", why=BRIDGE, out="udp\none\ntwo\n"),
    says("what has no network publishes nothing", FIRST +
         "docker run -d --name cb --network none -p 18471:18471 box sleep 100 >/dev/null && echo none", "run -p, run --network",
         why=OURS, out="none\n", err="WARNING: Published ports are discarded: the container has no network\n"),
    says("publish all that is exposed",
         "docker run -d --name ca -P --expose 18478 --expose 18480-18481/udp -p 18478:18478 box sleep 100 >/dev/null\n"
         "docker port ca | sort -u | grep -v '\\[::\\]'; docker inspect -f '{{.HostConfig.PublishAllPorts}}' ca\n"
         "docker run --rm -P=false box echo no", "run -P, run --publish-all, run --expose",
         why="Docker picks the outer ports; on the host's network a port is what it is inside",
         out="18478/tcp -> 0.0.0.0:18478\n18480/udp -> 0.0.0.0:18480\n18481/udp -> 0.0.0.0:18481\ntrue\nno\n"),
    refused("all that is exposed, where one is taken", FIRST, "-P --expose 18471", taken(18471)),
    says("run in the foreground", FIRST + "docker run --rm --name cb -p 18471:18471 box echo no; docker ps -aq --filter name=cb",
         "run -p, run --rm", why=BRIDGE, err="docker: " + fails("cb", taken(18471)) + HELP),
    says("start, start -a", FIRST + "docker create --name cb -p 18471:18471 box sleep 100 >/dev/null\n"
         "docker start cb; echo $?; docker start -a cb; echo $?", "start, start -a, run -p", why=BRIDGE, out="1\n1\n",
         err=f"{fails('cb', taken(18471))}\nError: failed to start containers: cb\n"
             f"{fails('cb', taken(18471)).replace(B, 'c' * 64)}\n"),
    says("of one that did not start", FIRST + "docker run -d --name cb -p 18471:18471 box sleep 100 >/dev/null 2>&1\n"
         "docker ps -a --filter name=cb --format '{{.Status}} {{.Ports}}'\n"
         "docker inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}}' cb", "inspect -f, run -p", why=BRIDGE,
         out=f"Created \ncreated 128 {fails('cb', taken(18471)).removeprefix('Error response from daemon: ')}\n"),
    says("after it has stopped", FIRST + "docker create --name cb -p 18471:18471 box sleep 100 >/dev/null\n"
         "docker stop -t 0 ca; docker start cb; docker restart -t 0 cb; docker kill cb; docker start ca",
         "start, restart, kill, run -p", why=BRIDGE, out="ca\ncb\ncb\ncb\nca\n"),
    row("the id of one that cannot start", "docker run -d --network none box /nosuch >id 2>/dev/null; echo $?; wc -c <id", "run -d"),
]
