# SPDX-License-Identifier: Apache-2.0
"""Attached streams, execs, logs and archives."""
from apitable import UP, create, delete, end, get, head, post, put, ran, row, running, step

BOTH = ["sh", "-c", "echo out; sleep 0.2; echo err >&2; sleep 0.2; echo more"]
ALL = "stream=1&stdout=1&stderr=1"


def exec_of(c, *cmd, **more):
    return post(f"/containers/{c}/exec", {"Cmd": list(cmd), "AttachStdout": True, "AttachStderr": True, **more}, save=["e", "Id"])


def start(**how):
    return post("/exec/$e/start", {"Detach": False, "Tty": False}, headers=UP, **how)


CLIENT = "a bad request is the client's fault"
EXEC = ["Running", "ExitCode", "OpenStdin", "OpenStdout", "OpenStderr", "ProcessConfig.entrypoint", "ProcessConfig.arguments",
        "ProcessConfig.tty", "DetachKeys", "CanRemove"]

ROWS = [
    row("attach before the start, in frames and in order", create("ca", {"Cmd": BOTH}),
        post(f"/containers/ca/attach?{ALL}", headers=UP, begin="s"), post("/containers/ca/start"), end("s", merge=False),
        get("/containers/ca/logs?stdout=1&stderr=1", merge=False)),
    row("attach without an upgrade", create("ca", {"Cmd": BOTH}), post(f"/containers/ca/attach?{ALL}", begin="s"),
        post("/containers/ca/start"), end("s", merge=False)),
    row("attach to one stream", create("ca", {"Cmd": BOTH}), post("/containers/ca/attach?stream=1&stderr=1", headers=UP, begin="s"),
        post("/containers/ca/start"), end("s")),
    row("attach to one that runs", *running("ca", {"Cmd": ["sh", "-c", "sleep 1; echo late"]}),
        post(f"/containers/ca/attach?{ALL}", headers=UP, begin="s"), end("s")),
    row("attach with what was written until then", *running("ca", {"Cmd": ["sh", "-c", "echo early; sleep 1; echo late"]}),
        post(f"/containers/ca/attach?{ALL}&logs=1", headers=UP, begin="s", pause_s=0.4), end("s")),
    row("what was written, without the stream", *ran("ca", *BOTH), post("/containers/ca/attach?logs=1&stdout=1", headers=UP)),
    row("attach to the input", create("ca", {"Cmd": ["cat"], "OpenStdin": True, "StdinOnce": True, "AttachStdin": True}),
        post(f"/containers/ca/attach?{ALL}&stdin=1", headers=UP, begin="s"), post("/containers/ca/start"),
        end("s", stdin="hello\n"), post("/containers/ca/wait")),
    row("attach to a terminal", create("ca", {"Cmd": ["sh", "-c", "echo x; tty"], "Tty": True}),
        post(f"/containers/ca/attach?{ALL}", headers=UP, begin="s"), post("/containers/ca/start"), end("s")),
    row("exec", *running("ca"), exec_of("ca", "sh", "-c", "echo o; sleep 0.1; echo e >&2; exit 3"),
        get("/exec/$e/json", pick=EXEC), start(merge=False), get("/exec/$e/json", pick=EXEC), start(differs="28 tells it by the status", want=(409, "has already run")),
        get("/containers/ca/json", pick=["ExecIDs"])),
    row("exec without an upgrade", *running("ca"), exec_of("ca", "echo", "hi"), post("/exec/$e/start", {})),
    row("exec of a terminal", *running("ca"), exec_of("ca", "tty", Tty=True), post("/exec/$e/start", {"Tty": True}, headers=UP),
        get("/exec/$e/json", pick=EXEC)),
    row("exec with an input", *running("ca"), exec_of("ca", "cat", AttachStdin=True), start(stdin="abc\n"),
        get("/exec/$e/json", pick=["ExitCode", "OpenStdin"])),
    row("exec with the rest", *running("ca", {"Env": ["A=1"]}),
        exec_of("ca", "sh", "-c", "echo $A $B; pwd; id -u", Env=["B=2"], WorkingDir="/tmp"), start(),
        exec_of("ca", "id", "-u", User="5"), start(), exec_of("ca", "id", User="nosuch"), start(), needs_id_ranges=True),
    row("exec in the background", *running("ca"), exec_of("ca", "sh", "-c", "sleep 0.5; exit 6"),
        post("/exec/$e/start", {"Detach": True}), get("/exec/$e/json", pick=["Running", "ExitCode"]),
        get("/exec/$e/json", until=["Running", False], pick=["Running", "ExitCode"])),
    row("exec of what is not there", *running("ca"), exec_of("ca", "nosuch"), start(), get("/exec/$e/json", differs="28 tells 127", want=(200, '"ExitCode": 127')),
        exec_of("ca", "/etc"), start(), get("/exec/$e/json", pick=["ExitCode", "Running"])),
    row("exec of what is not there, in the background", *running("ca"), exec_of("ca", "nosuch"),
        post("/exec/$e/start", {"Detach": True})),
    row("exec that is none", *running("ca"), post("/containers/ca/exec", {"Cmd": []}), post("/containers/ca/exec", {}),
        post("/containers/ca/exec", {"Cmd": "true"}, differs="csbx's own text", want=(400, "Cmd")),
        post("/containers/ca/exec", {"Cmd": [5]}, differs="a wrong type is the client's fault", want=(400, "Cmd")),
        post("/containers/ca/exec", "{", differs="a body that is no JSON is the client's fault", want=(400, "JSON"))),
    row("exec where nothing runs", create("ca"), exec_of("ca", "true"), *ran("cb", "true"), exec_of("cb", "true")),
    row("resize of an exec", *running("ca"), exec_of("ca", "sh", "-c", "sleep 1; stty size", Tty=True, AttachStdin=True),
        post("/exec/$e/start", {"Tty": True}, headers=UP, begin="s"), post("/exec/$e/resize?h=33&w=77", pause_s=0.3),
        end("s"), post("/exec/$e/resize?h=x&w=1")),
    row("logs", *ran("ca", *BOTH),
        *(get(f"/containers/ca/logs?{q}", merge=False) for q in (
            "stdout=1", "stderr=1", "stdout=1&stderr=1", "stdout=true&stderr=0", "stdout=1&tail=1", "stdout=1&tail=0",
            "stdout=1&stderr=1&tail=2", "stdout=1&tail=all", "stdout=1&tail=x", "stdout=1&since=9999999999",
            "stdout=1&until=1", "stdout=1&since=0", "stdout=1&follow=1", "stdout=1&stderr=1&timestamps=1", "stdout=1&details=1",
            "stdout=1&since=1", "stdout=1&until=9999999999")),
        get("/containers/ca/logs"), get("/containers/ca/logs?stdout=0&stderr=False"), *(get(f"/containers/ca/logs?stdout=1&{q}=x", differs="a bad request is the client's fault", want=(400, q)) for q in ("since", "until"))),
    row("logs of a terminal", *ran("ca", "sh", "-c", "echo x; echo y >&2", body={"Tty": True}), get("/containers/ca/logs?stdout=1"),
        get("/containers/ca/logs?stderr=1"), get("/containers/ca/logs?stdout=1&tail=1")),
    row("logs that are followed", *running("ca", {"Cmd": ["sh", "-c", "echo 1; sleep 0.7; echo 2; sleep 0.3; echo 3 >&2"]}),
        get("/containers/ca/logs?stdout=1&stderr=1&follow=1", merge=False), post("/containers/ca/wait")),
    row("logs of one that has said nothing", create("ca"), get("/containers/ca/logs?stdout=1"), get("/containers/ca/logs?stdout=1&follow=0")),
    row("archives", *running("ca"), put("/containers/ca/archive?path=/tmp", {"tar": {"f": "abc", "d/": "", "d/g": "x"}}),
        head("/containers/ca/archive?path=/tmp/f"), get("/containers/ca/archive?path=/tmp/f"),
        get("/containers/ca/archive?path=/tmp/d"), get("/containers/ca/archive?path=/tmp/d/."), head("/containers/ca/archive?path=/tmp/d"),
        exec_of("ca", "cat", "/tmp/f", "/tmp/d/g"), start(),
        head("/containers/ca/archive?path=/tmp/nope"), get("/containers/ca/archive?path=/tmp/nope"),
        put("/containers/ca/archive?path=/nodir", {"tar": {"f": "abc"}}), put("/containers/ca/archive?path=/tmp/f", {"tar": {"f": "y"}}, differs=CLIENT, want=(400, "extraction point is not a directory")),
        *(f("/containers/ca/archive", differs="Docker's text has a slip", want=(400, "missing path")) for f in (get, put)),
        head("/containers/ca/archive"),
        put("/containers/ca/archive?path=/tmp&noOverwriteDirNonDir=true", {"tar": {"d": "now a file"}}, differs="said shorter",
            want=(500, "not overwritten by a non-directory")),
        put("/containers/ca/archive?path=/tmp", {"tar": {"f": "new"}}), get("/containers/ca/archive?path=tmp/f")),
    row("archives of one that does not run", create("ca"), put("/containers/ca/archive?path=/", {"tar": {"early": "abc"}}),
        head("/containers/ca/archive?path=/early"), get("/containers/ca/archive?path=/early"), post("/containers/ca/start"),
        exec_of("ca", "cat", "/early"), start()),
    row("an archive that is none", create("ca"), put("/containers/ca/archive?path=/", "no tar at all", differs=
        "what is no tar is the client's fault", want=(400, ""))),
    row("a link", *running("ca", {"Cmd": ["sh", "-c", "ln -s /etc/passwd /tmp/l; sleep 600"]}),
        head("/containers/ca/archive?path=/tmp/l", pause_s=0.5), get("/containers/ca/archive?path=/tmp/l")),
    row("what goes when the client says so", *running("ca"), delete("/containers/ca?force=1"), exec_of("ca", "true")),
    row("an attach that is none", create("ca"), step("POST", "/containers/ca/attach", headers=UP)),
]
