# SPDX-License-Identifier: Apache-2.0
"""The command line itself: help, options, configuration, errors, exit codes."""
import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

import conftest
import harness


@pytest.fixture
def box(csbx, busybox_image):
    """csbx with a container `box` of busybox."""
    csbx.ok("create", "--name", "box", busybox_image)
    yield csbx
    csbx.ok("remove", "-f", "box")


def verbs(csbx):
    return [line.split("\t")[0] for line in csbx.ok("__complete", "").splitlines()]


# --- help, completion -----------------------------------------------------------------------------

def test_help_teaches(csbx):
    text = csbx.ok("--help")
    assert csbx.ok("help") == text and csbx.ok("-h") == text and csbx.ok() == text
    for verb in verbs(csbx):
        assert f"\n  {verb} " in text
        if verb == "help":
            continue
        page = csbx.ok(verb, "--help")
        assert page.startswith(f"Usage: csbx {verb}"), page
        assert csbx.ok("help", verb) == page
        assert "Examples:" in page, f"{verb} --help has no example"
        assert max(map(len, page.splitlines())) <= 80 or "|" in page


def test_help_with_a_broken_configuration(csbx):
    conf = csbx.dirs["home"] / ".config/csbx/csbx.conf"
    csbx.run("list")
    conf.parent.mkdir(parents=True)
    conf.write_text("CSBX_NETWROK none\n")
    csbx.fails("list", says=["csbx.conf:1", "CSBX_NETWROK"])
    assert csbx.ok("start", "--help").startswith("Usage:")


def test_help_to_a_full_disk_fails(csbx):
    with open("/dev/full", "wb") as full:
        p = subprocess.run(csbx.argv(["--help"]), stdout=full, stderr=subprocess.PIPE, env=csbx.env,
                           check=False)
    assert p.returncode == 125
    assert b"No space left" in p.stderr


def complete(csbx, *words):
    return [x.split("\t")[0] for x in csbx.ok("__complete", *words).splitlines()]


def test_completion(box):
    assert complete(box, "sta") == ["start"]
    assert "import" in complete(box, "")
    assert "--read-only" in complete(box, "start", "--rea")
    assert complete(box, "start", "--network", "") == ["none", "host"]
    assert complete(box, "start", "--network=h") == ["--network=host"]
    assert complete(box, "start", "b") == ["box", ":file"]
    assert complete(box, "start", "-m", "") == [":dir"]
    assert complete(box, "start", "--user", "0", "b") == ["box", ":file"]
    assert complete(box, "start", "box", "--") == [":file"]
    assert complete(box, "remove", "box", "b") == ["box"]
    assert complete(box, "help", "sta") == ["start"]
    assert "--output" in complete(box, "import", "--o")


def test_completion_of_the_dialects(box, busybox_image):
    """What docker's own scripts ask for: candidates, and a last line that says whether files will do."""
    box.ok("create", "--keep", "-n", "stays", "--volume", "data:/v", busybox_image, "true")
    with tarfile.open(box.work / "app.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("file"))
    box.ok("docker", "import", "app.tar", "app:1")
    ask = lambda *words: complete(box, "docker", *words)
    assert ask("sta") == ["start", "stats", ":4"]
    assert {"container", "ps", "image"} <= set(ask("")) and "swarm" not in ask("")
    assert ask("volume", "r") == ["rm", ":4"] and ask("image", "l") == ["load", "ls", ":4"]
    assert ask("start", "") == ["stays", ":4"], "box is none of docker's"
    assert ask("run", "-d", "") == ask("run", "--name", "x", "a") == ["app:1", ":4"]
    assert ask("run", "--publ") == ["--publish", "--publish-all", ":4"]
    assert ask("run", "app:1", "") == ask("run", "-v", "/") == [":0"]
    assert ask("cp", "") == ["stays:", ":0"] and ask("rmi", "app") == ["app:1", ":4"]
    assert ask("volume", "rm", "") == ["data", ":4"] and ask("wait", "stays", "s") == ["stays", ":4"]
    assert ask("inspect", "--form") == ["--format", ":4"], "of another program"
    ask = lambda *words: complete(box, "enroot", *words)
    assert ask("re") == ["remove"] and ask("remove", "b") == ["box"] and ask("start", "b") == ["box", ":file"]
    assert ask("start", "--roo") == ["--root"] and ask("import", "--out") == ["--output"]
    box.ok("remove", "-f", "stays")


def test_completion_of_shims_in_bash(box):
    """A docker of csbx's in PATH is completed, by its link or its script; another one is left alone."""
    stub = Path(__file__).parents[2] / "contrib/completion/csbx.bash"
    box.ok("shims", box.work / "shims")
    box.ok("shims", "--profile", "sandbox", box.work / "scripts")
    (box.work / "other").mkdir()
    (box.work / "other/docker").write_text("#!/bin/sh\n")
    (box.work / "other/docker").chmod(0o755)
    script = f"compopt() {{ :; }}; . {stub}; complete -p docker; COMP_WORDS=(docker star); COMP_CWORD=1; _csbx; echo \"${{COMPREPLY[@]}}\""
    for top, registered in (("shims", True), ("scripts", True), ("other", False)):
        env = {**box.env, "PATH": f"{box.work / top}:/usr/bin:/bin"}
        p = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=False, **box.identity())
        assert (p.stdout == "complete -F _csbx docker\nstart\n") == registered, (top, p)


@pytest.mark.parametrize("line, words", [
    ("csbx sta", ["start"]), ("csbx start --network=", ["none", "host"]),
    ("csbx start --network = h", ["host"]), ("csbx start bo", ["box"]),
    ("csbx start --env A = b --net", ["--network"])])
def test_completion_in_bash(box, line, words):
    stub = Path(__file__).parents[2] / "contrib/completion/csbx.bash"
    script = (f"compopt() {{ :; }}; . {stub}; COMP_WORDS=({line}); "
              "[ -n \"${COMP_WORDS[-1]}\" ]; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _csbx; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    env = {**box.env, "PATH": f"{harness.BIN}:{box.env['PATH']}"}
    p = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=False,
                       **box.identity())
    assert p.stdout.split() == words, p.stderr


# --- options --------------------------------------------------------------------------------------

@pytest.mark.parametrize("args, says", [
    (["strat"], "did you mean 'csbx start'?"),
    (["frobnicate"], "unknown command"),
    (["rm", "x"], "did you mean 'csbx remove'?"), (["images"], "did you mean 'csbx docker images'?"), (["pull", "x"], "'csbx import'"),
    (["save", "x"], "'csbx docker save'"), (["ls"], "'csbx list'"), (["builder", "prune"], "'csbx docker builder'"),
    (["--frob"], "unknown option"), (["search", "python"], "csbx searches no registry: give an image's whole name"),
    (["prune"], "'csbx gc'"), (["up"], "'csbx docker compose'"), (["serve"], "'csbx engine'"), (["fetch", "x"], "'csbx import'"),
    (["edit"], "unknown command (see csbx --help)"), (["down"], "'csbx docker compose'"),
    (["inspect", "nothere"], ["no such container", "hint: csbx list"]), (["export", "nothere"], "hint: csbx list"),
    (["logs", "nothere"], "hint: csbx list"), (["cp", "nothere:/x", "."], "hint: csbx list"),
    (["create", "--name", "a.sqsh"], "operand is missing: 'a.sqsh' is the value of --name"),
    (["create", "-n", "a.sqsh"], "operand is missing: 'a.sqsh' is the value of --name"),
    (["export", "-o", "box"], "operand is missing: 'box' is the value of --output"),
    (["create", "-nbox"], "operand is missing; usage"),
    (["export", "-o", "-", "box"], ["cannot go to standard output", "name a file"]), (["import", "-o", "-", "oci:x"], "cannot go to standard output"),
    (["run", "-v", "/a:/b", "x"], "unknown option '-v' (did you mean '--volume'?)"),
    (["run", "-w", "/", "x"], "'--workdir'"), (["run", "-m", "1g", "x"], "'--memory'"), (["start", "-u", "0", "x"], "'--user'"),
    (["run", "-p", "80:80", "x"], ["--network host", "csbx docker run"]), (["start", "--publish", "1:1", "x"], "--network host"),
    (["run", "python:3.12"], ["csbx docker pull python:3.12", "csbx import docker://python:3.12"]),
    (["start", "ghcr.io/a/b:1"], "csbx docker pull ghcr.io/a/b:1"),
    (["eval", "--image", "python:3.12", "-"], "csbx docker pull python:3.12"),
    (["create", "python:3.12"], "csbx docker pull python:3.12"), (["create", "-n", "p", "python:3.12"], "csbx docker pull python:3.12"),
    (["create", "-n", "p", "bad name"], "bad name: No such file"),
    (["eval", "--image", "nothere", "-"], "csbx docker pull nothere"),
    (["test", "--image", "nothere", "--repo", "."], "csbx docker pull nothere"),
    (["run", "nothere"], ["csbx list", "csbx docker pull nothere"]),
    (["start", "--mont", "/a:/b", "box"], "unknown option '--mont' (did you mean '--mount'?)"),
    (["start", "-Z", "box"], "unknown option '-Z'"),
    (["start", "--mount"], "needs a value"),
    (["start"], "operand is missing"),
    (["run"], "operand is missing"),
    (["list", "x"], "too many operands"),
    (["start", "--read-only=perhaps", "box"], "--read-only perhaps: must be yes or no"),
    (["start", "--network", "bridge", "box"], "must be one of none|host"),
])
def test_bad_command_line(csbx, args, says):
    csbx.fails(*args, says=says)


@pytest.mark.parametrize("option", ["--pids-limit", "--shm-size", "--upper-size"])
@pytest.mark.parametrize("value", ["1e3", "-1", "0", "nan", "", "9999999999999g", "0x10", " 1", "1 "])
def test_strict_numbers(box, option, value):
    box.fails("start", option, value, "box", "true", says=[option, "must be" if "99" not in value
                                                           else option])


def test_options_after_the_operand(box):
    """They are words of the command; csbx says so where there is no such command."""
    for verb in ("start", "run"):
        p = box.run(verb, "box", "--timeout", "3", "true")
        assert p.returncode == 127 and "options stand before the container" in p.stderr
    box.ok("start", "-d", "box", "sleep", "1000")
    p = box.run("exec", "box", "-e", "A=b", "true")
    assert p.returncode == 127 and "options stand before the container" in p.stderr
    box.ok("kill", "box")
    box.run("wait", "box")


def test_rm_says_what_is_the_case(box):
    assert box.ok("run", "--rm", "box", "echo", "x") == "x\n"
    box.fails("run", "--owner", "1", "box", "true", says="--keep")


@pytest.mark.parametrize("words, says", [
    (["swarm", "init"], "batch system"), (["service", "ls"], "--restart"), (["manifest", "inspect", "x"], "csbx digest"),
    (["compose", "up"], "docker-compose"), (["search", "x"], "whole name"), (["trust", "sign", "x"], "digest"),
])
def test_verbs_of_docker_that_csbx_has_not(csbx, words, says):
    p = csbx.run("docker", *words)
    assert p.returncode == 1 and f"docker: 'docker {words[0]}' is not done by csbx: " in p.stderr and says in p.stderr


@pytest.mark.parametrize("word", ["ls", "inspect", "create", "use", "du", "bake"])
def test_verbs_of_buildx_that_csbx_has_not(csbx, word):
    """The reason and what works; the group's help has only what works."""
    p = csbx.run("docker", "buildx", word, "--bootstrap")
    assert p.returncode == 1 and p.stderr.startswith(f"docker: 'docker buildx {word}' is not done by csbx: "), p.stderr
    assert len(p.stderr.splitlines()) == 1 and ("docker buildx build" in p.stderr or "csbx df" in p.stderr)
    shown = csbx.ok("docker", "buildx", "--help")
    assert f"  {word} " not in shown and "  build " in shown


def test_help_of_docker_run_has_its_letters(csbx):
    said = csbx.ok("docker", "run", "--help")
    assert "  -P, --publish-all" in said and "  -c, --cpu-shares int" in said


def test_options_end_at_the_operand(box):
    assert box.ok("start", "box", "echo", "x", "--help", "--", "-e") == "x --help -- -e\n"
    assert box.ok("start", "--", "box", "echo", "x", "--") == "x --\n"
    box.fails("start", "--rw", "--read-only", "box", says="exclude each other")
    assert box.ok("start", "--env", "A=1", "--", "box", "sh", "-c", "echo $A") == "1\n"
    assert box.ok("start", "box", "printf", "[%s]", "", "a b") == "[][a b]"


def test_forms_of_options(box):
    show = ["box", "sh", "-c", "echo $A$B"]
    assert box.ok("start", "--env=A=1", "-eB=2", *show) == "12\n"
    assert box.ok("start", "-e", "A=1", "--env", "B=", *show) == "1\n"
    assert box.ok("start", "-re", "A=r", *show) == "r\n"


# --- names and paths ------------------------------------------------------------------------------

def test_an_operand_is_a_name_or_a_path(box, busybox_image):
    local = box.work / "local.sqsh"
    local.write_bytes(busybox_image.read_bytes())
    (box.work / "plain").write_bytes(busybox_image.read_bytes())
    assert box.ok("start", "local.sqsh", "echo", "a") == "a\n"
    assert box.ok("start", "./plain", "echo", "b") == "b\n"
    assert box.ok("run", local, "echo", "c") == "c\n"
    assert box.ok("run", "box", "echo", "d") == "d\n"
    box.fails("start", "plain", "echo", says=["no such container", "./plain"])
    box.fails("start", "nothing", says=["start nothing", "no such container", "hint: csbx list"])
    said = box.fails("start", "--user", "nobody-there", "box", "echo", says="no such user")
    assert "csbx list" not in said, "a hint for another mistake"
    box.fails("start", "./nothing", says=["./nothing", "No such file"])


@pytest.mark.parametrize("name", ["..", ".", "-x", "a/../b", "x\ny", "é", "x" * 129, "a b", ""])
def test_malformed_names(csbx, busybox_image, name):
    """D2. A name that is an option or a path is refused as what it looks like."""
    p = csbx.run("create", f"--name={name}", busybox_image)
    assert p.returncode == 125 and p.stderr.startswith("csbx: ")
    assert csbx.ok("list") .count("\n") <= 1
    assert csbx.run("start", "--", name, "true").returncode == 125


# --- exit codes -----------------------------------------------------------------------------------

@pytest.mark.both_users
def test_exit_codes(box):
    for code in (0, 1, 42, 124, 125, 126, 127, 255):
        assert box.run("start", "box", "sh", "-c", f"exit {code}").returncode == code
    for signal in (1, 2, 9, 15):
        assert box.run("start", "box", "sh", "-c", f"kill -{signal} $$").returncode == 128 + signal
    box.fails("start", "box", "no-such-program", code=127, says=["no-such-program", "PATH"])
    box.fails("start", "box", "/no/such", code=127, says="/no/such")
    box.fails("start", "box", "/etc", code=126, says="/etc")
    box.fails("start", "--mount", "/no/such:/x", "box", "true", says="/no/such")


def test_not_executable(box):
    script = box.work / "x"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    box.fails("start", "-m", f"{script}:/x", "box", "/x", code=127, says="interpreter")
    script.chmod(0o644)
    box.fails("start", "-m", f"{script}:/x", "box", "/x", code=126, says="Permission denied")


def test_closed_standard_streams(box):
    """A program that lacks 0, 1 or 2 must not get one of csbx's own files there."""
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        words = " ".join(box.argv(["start", "box", "sh", "-c", "exit 5"]))
        words = words.replace("-c exit 5", "-c 'exit 5'")
        p = subprocess.run(["sh", "-c", f"{words} {closed}"], env=box.env, cwd=box.work,
                           timeout=60, check=False, **box.identity())
        assert p.returncode == 5, closed


@pytest.mark.parametrize("verb,spec", [("start", False), ("run", False), ("run", True)])
def test_result_without_a_stdout(box, busybox_image, verb, spec):
    """csbx refuses a result that has no reader before anything runs, whichever program runs the verb."""
    mark = box.work / "it-ran"
    touch = ["--mount", f"{box.work}:/w", "box" if verb == "start" else busybox_image, "touch", "/w/it-ran"]
    if spec:
        (box.work / "spec.json").write_text(json.dumps({
            "version": 1, "rootfs": {"kind": "squashfs", "path": str(busybox_image)},
            "process": {"argv": ["touch", "/w/it-ran"]},
            "mounts": [{"type": "bind", "source": str(box.work), "target": "/w"}]}))
        touch = ["--spec", box.work / "spec.json"]
    argv = box.argv([verb, "--json", *touch])
    p = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *argv], env=box.env, cwd=box.work, timeout=60,
                       check=False, stderr=subprocess.PIPE, text=True, **box.identity())
    assert p.returncode == 125 and "--json: standard output: not open for writing" in p.stderr, p.stderr
    assert not mark.exists()


def test_listing_without_a_stdout(box):
    p = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *box.argv(["list"])], env=box.env, cwd=box.work,
                       timeout=60, check=False, stderr=subprocess.PIPE, text=True, **box.identity())
    assert p.returncode == 125 and "standard output: " in p.stderr, p.stderr


# --- configuration --------------------------------------------------------------------------------

def write_conf(csbx, text):
    conf = csbx.dirs["home"] / ".config/csbx/csbx.conf"
    conf.parent.mkdir(parents=True, exist_ok=True)
    conf.write_text(text)


@pytest.mark.both_users
def test_configuration_stands_in_for_options(box):
    show = ["start", "box", "sh", "-c", "echo $A-$B-$(hostname)-$(pwd)"]
    write_conf(box, "CSBX_ENV A=file\nCSBX_HOSTNAME filehost\nCSBX_WORKDIR /tmp\n")
    assert box.ok(*show) == "file--filehost-/tmp\n"
    env = {"CSBX_HOSTNAME": "envhost", "CSBX_ENV": "A=env\nB=env"}
    assert box.ok(*show, env=env) == "env-env-envhost-/tmp\n"
    show[1:1] = ["--hostname", "opthost", "--env", "B=opt", "--workdir", "/"]
    assert box.ok(*show, env=env) == "env-opt-opthost-/\n"


def test_one_more_file(box):
    conf = box.work / "run.conf"
    conf.write_text("CSBX_HOSTNAME conf\nCSBX_ENV A=conf\n")
    write_conf(box, "CSBX_HOSTNAME user\nCSBX_ENV A=user\n")
    show = ["start", "-c", conf, "box", "sh", "-c", "echo $A-$(hostname)"]
    assert box.ok(*show) == "conf-conf\n"
    assert box.ok(*show, env={"CSBX_HOSTNAME": "env"}) == "conf-conf\n"
    show[1:1] = ["--hostname", "opt"]
    assert box.ok(*show) == "conf-opt\n"
    conf.write_text("CSBX_ENV A=1\nFROB x\n")
    box.fails(*show, says=["run.conf:2", "FROB"])
    conf.write_text("CSBX_DATA_PATH /x\n")
    box.fails(*show, says=["run.conf:1", "CSBX_DATA_PATH"])
    box.fails("start", "--conf", box.work / "none", "box", "true", says="--conf")


def test_bad_configuration(box):
    box.fails("start", "box", "true", env={"CSBX_NETWORK": "bridge"},
              says=["CSBX_NETWORK", "bridge", "none|host"])
    box.fails("start", "box", "true", env={"CSBX_NETWROK": "none"}, says="CSBX_NETWROK")
    box.ok("start", "--network", "none", "box", "true", env={"CSBX_NETWORK": "bridge"})
    write_conf(box, "# fine\nCSBX_SHM_SIZE 1e3\n")
    box.fails("start", "box", "true", says=["csbx.conf:2", "CSBX_SHM_SIZE", "1e3"])


# --- doctor, inspect, spec ------------------------------------------------------------------------

@pytest.mark.both_users
def test_doctor(csbx):
    facts = json.loads(csbx.run("doctor", "--json").stdout)
    lines = csbx.run("doctor")
    for name, fact in facts.items():
        assert name in lines.stdout
        assert fact["reason"] and isinstance(fact["ok"], bool)
        one = csbx.run("doctor", "--feature", name)
        assert one.returncode == (0 if fact["ok"] else 1)
        assert fact["ok"] or not fact["needed"] or lines.returncode == 1
    assert all(f["ok"] for f in facts.values() if f["needed"])
    assert lines.returncode == 0 and "can start" in lines.stdout
    csbx.fails("doctor", "--feature", "flight", says="unknown feature")


def test_doctor_names_what_is_missing(csbx):
    """As many user namespaces as the limit of an outer namespace allows: none."""
    script = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\""
    p = subprocess.run(["unshare", "-Ur", "sh", "-c", script, "-", *csbx.argv(
        ["doctor", "--feature", "userns"])], env=csbx.env, capture_output=True, text=True,
        check=False, **csbx.identity())
    assert p.returncode == 1, p.stderr
    assert "max_user_namespaces is 0" in p.stdout and "sysctl" in p.stdout


@pytest.mark.both_users
def test_inspect_of_what_runs(box):
    p = box.popen("start", "--env", "SEEN=1", "--read-only", "--tmpfs", "/t:size=1m", "--cap-drop",
                  "KILL", "box", "sh", "-c", "echo up; read x", stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"up\n"
    seen = json.loads(box.ok("inspect", "box"))
    one, = seen["instances"]
    assert json.loads(box.ok("inspect", one["id"]))["instances"][0]["id"] == one["id"]
    assert "SEEN=1" in one["requested"]["process"]["env"]
    assert one["requested"]["rootfs"]["upper"] == "readonly"
    now = one["effective"]
    assert now["seccomp"] == {"mode": "filter", "filters": 1}
    assert now["no_new_privs"] is True
    assert set(now["namespaces"].values()) == {"own"}
    caps = now["capabilities"]
    assert caps["inheritable"] == caps["ambient"] == []
    assert caps["effective"] == caps["bounding"] == one["requested"]["security"]["capabilities"]
    assert "CAP_KILL" not in caps["effective"] and "CAP_CHOWN" in caps["effective"]
    mounts = {m["target"]: m for m in now["mounts"]}
    assert "ro" in mounts["/"]["options"].split(",")
    assert mounts["/t"]["type"] == "tmpfs"
    p.communicate(b"\n", timeout=60)
    assert p.returncode == 0
    assert json.loads(box.ok("inspect", "box"))["instances"] == []
    box.fails("inspect", one["id"], says="no such")
    box.fails("inspect", "../x")


@pytest.mark.both_users
def test_a_spec_runs_again(box):
    """`run --spec` takes the specification that inspect shows as requested."""
    p = box.popen("start", "--env", "A=1", "--tmpfs", "/t", "--workdir", "/t", "--ulimit",
                  "nofile=77:99", "box", "sh", "-c", "echo $A $(pwd) $(ulimit -n); read x; true",
                  stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"1 /t 77\n"
    spec = json.loads(box.ok("inspect", "box"))["instances"][0]["requested"]
    p.communicate(b"\n", timeout=60)
    spec["process"]["env"].append("B=2")
    assert box.ok("run", "--spec", "-", stdin=json.dumps(spec)) == "1 /t 77\n"
    file = box.work / "spec.json"
    file.write_text(json.dumps(spec))
    assert box.ok("run", f"--spec={file}") == "1 /t 77\n"
    assert "overlay" in box.ok("run", "--spec", file, "--plan")
    del spec["process"]["argv"]
    box.fails("run", "--spec", "-", stdin=json.dumps(spec), says="no command")
    box.fails("run", "--spec", "-", stdin='{"version": 1, "frob": 2}', says="frob: unknown member")
    box.fails("run", "--spec", "-", stdin='{"version": 1, "version": 1}')
    box.fails("run", "--spec", box.work / "none.json", says="none.json")


REGISTRY_KEYS = {"CSBX_REGISTRY_MIRROR": "docker.io=https://mirror.example", "CSBX_INSECURE_REGISTRY": "localhost:5000",
                 "CSBX_REGISTRY_TOKEN_SERVER": "registry.example=auth.example", "CSBX_AUTHFILE": "/etc/auth.json", "CSBX_ARCH": "arm64",
                 "CSBX_OFFLINE": "yes", "CSBX_COMP": "zstd", "CSBX_LABEL": "a=b", "CSBX_STOP_SIGNAL": "TERM"}


@pytest.mark.parametrize("where", ["environment", "file"])
def test_keys_of_other_verbs_are_their_business(csbx, busybox_image, where):
    """Settings that a site makes for import break no start."""
    env = dict(REGISTRY_KEYS)
    if where == "file":
        place = csbx.dirs["home"] / ".config/csbx"
        place.mkdir(parents=True, exist_ok=True)
        (place / "csbx.conf").write_text("".join(f"{k} {v}\n" for k, v in env.items()))
        env = {}
    csbx.ok("create", "-n", "c", busybox_image, env=env)
    assert csbx.ok("run", busybox_image, "echo", "1", env=env) == "1\n"
    assert csbx.ok("start", "c", "echo", "2", env=env) == "2\n"
    assert csbx.ok("docker", "run", "--rm", "--network=none", str(busybox_image), "echo", "3", env=env) == "3\n"
    assert csbx.ok("enroot", "start", "c", "echo", "4", env=env) == "4\n"
    csbx.ok("remove", "-f", "c", env=env)


def test_a_start_begins_where_its_first_directory_is(csbx, session_dir, python_image):
    """csbx create --name py img.sqsh; csbx start --mount dir:/work py python3 script.py"""
    plain = harness.import_once(session_dir, conftest.layout("plain-python"), "plain-python")
    (csbx.work / "dir").mkdir()
    (csbx.work / "file").write_text("")
    (csbx.work / "dir/script.py").write_text("import os; print(os.getcwd())")
    csbx.ok("create", "--name", "py", plain)

    def start(*options, image="py", env=None):
        return csbx.ok("start", *options, image, "python3", "-c", "import os; print(os.getcwd())", cwd=csbx.work, env=env or {}).strip()
    assert csbx.ok("start", "--mount", "dir:/work", "py", "python3", "script.py", cwd=csbx.work) == "/work\n"
    assert csbx.ok("run", "--mount", "dir:/work", plain, "python3", "script.py", cwd=csbx.work) == "/work\n"
    assert start() == "/"
    assert start("--mount", "file:/f", "--mount", "tmpfs:/t", "--mount", "dir:/one", "--mount", "/usr:/two") == "/one"
    assert start("--mount", "dir:/work", "--workdir", "/tmp") == "/tmp"
    assert start("--volume", f"{csbx.work}/dir:/v") == "/"
    assert start("--mount", "dir:/work", image=str(python_image)) == "/root", "the image's own comes first"
    site = {"CSBX_MOUNT": f"{csbx.work}/dir:/site"}
    assert start(env=site) == "/" and start("--mount", "dir:/work", env=site) == "/work"
    plan = csbx.ok("start", "--plan", "--mount", "dir:/work", "py", "true", cwd=csbx.work).splitlines()
    assert plan[-1].split() == ["workdir", "/work"]
    asked = csbx.popen("start", "--mount", "dir:/work", "py", "sh", "-c", "echo; read x", cwd=csbx.work, stdin=-1)
    asked.stdout.readline()
    [instance] = json.loads(csbx.ok("inspect", "py"))["instances"]
    assert instance["requested"]["process"]["cwd"] == "/work"
    asked.communicate(b"\n", timeout=20)
    csbx.ok("remove", "-f", "py")


def test_plan_starts_nothing(box):
    before = harness.list_tree(box.dirs["run"])
    plan = box.ok("start", "--plan", "--mount", "/usr:/u:ro", "--tmpfs", "/t", "box", "true")
    assert "bind" in plan and "/u" in plan and "pivot" in plan
    assert harness.list_tree(box.dirs["run"]) == before
    assert os.path.exists(box.dirs["data"])
