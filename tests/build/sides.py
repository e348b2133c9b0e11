# SPDX-License-Identifier: Apache-2.0
"""One row of the table, built by csbx and by Docker's classic builder, as something to compare."""
import io
import json
import os
import re
import subprocess
import tarfile
import time

CONFIG = ("Cmd", "Entrypoint", "Env", "ExposedPorts", "Labels", "OnBuild", "Shell", "StopSignal", "User",
          "Volumes", "WorkingDir", "Healthcheck")
STEPS = ("RUN", "COPY", "ADD", "WORKDIR")


ARCHIVES = {"tar": "w", "tgz": "w:gz", "tbz": "w:bz2", "txz": "w:xz"}


def make_tar(members, mode):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as t:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            t.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def put(path, what):
    """One file of a context."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if what == ("touch",):
        os.utime(path, (1, 1))
        return
    if path.is_symlink() or path.exists():
        path.unlink()
    if isinstance(what, str):
        path.write_text(what, encoding="utf-8")
        path.chmod(0o644)
    elif what[0] == "mode":
        path.write_text(what[2], encoding="utf-8")
        path.chmod(what[1])
    elif what[0] == "link":
        path.symlink_to(what[1])
    elif what[0] == "fifo":
        os.mkfifo(path, 0o644)
    elif what[0] == "dir":
        path.mkdir()
    else:
        path.write_bytes(make_tar(what[1], ARCHIVES[what[0]]))


def make_context(row, top):
    context = top / "ctx"
    context.mkdir()
    for name, what in {**row.files, "Dockerfile": row.dockerfile}.items():
        put(context / name, what)
    for path in [context, *context.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    return context


def cached_by_csbx(text):
    """[True or False] for RUN, COPY, ADD and WORKDIR in their order."""
    found = []
    for block in re.split(r"\n(?=#\d+ \[)", text):
        if re.match(r"#\d+ \[[^]]*\d+/\d+\] (RUN|COPY|ADD|WORKDIR)\b", block):
            found.append("CACHED" in block)
    return found


def cached_by_docker(text):
    found = []
    for block in re.split(r"\n?(?=Step \d+/\d+ : )", text):
        if re.match(r"Step \d+/\d+ : (RUN|COPY|ADD|WORKDIR)\b", block):
            found.append("Using cache" in block)
    return found


def plain_history(lines):
    """Both builders' words for a step; they say in different ways what a COPY took."""
    found = []
    for line in lines:
        line = re.sub(r"^/bin/sh -\S+ #\(nop\) +", "", line).strip()
        line = re.sub(r" # buildkit$", "", line)
        line = re.sub(r"^RUN ", "", line).removeprefix("|0 ")
        word = line.split(" ")[0]
        if word == "ARG":
            continue
        if word == "LABEL" and found and found[-1] == word:  # one of --label, or one for each
            continue
        found.append(word if word in ("COPY", "ADD", "HEALTHCHECK", "MAINTAINER", "LABEL", "SHELL", "CMD", "ENTRYPOINT",
                                      "EXPOSE", "VOLUME", "ENV", "STOPSIGNAL", "ONBUILD") else line)
    return found


def config_of(inspected):
    config = inspected[0]["Config"]
    found = {k: config.get(k) for k in CONFIG if config.get(k)}
    if inspected[0].get("Author"):
        found["Author"] = inspected[0]["Author"]
    return found


class Side:
    """docker: a function of words, giving a finished process with text; cwd is the row's directory."""

    def __init__(self, docker, cached):
        self.docker, self.cached = docker, cached

    def build(self, row, args):
        return self.docker("build", "-t", "made", *args, "ctx", **({"stdin": row.stdin} if row.stdin is not None else {}))

    def answer(self, row, top):
        context = make_context(row, top)
        p = self.build(row, row.args)
        answer = {"rc": min(p.returncode, 1)}  # the classic builder gives the step's own
        if p.returncode:
            return answer, p.stdout + p.stderr
        if row.again is not None:
            time.sleep(0.01)
            for name, what in row.again.items():
                put(context / name, what)
            p = self.build(row, row.again_args if row.again_args is not None else row.args)
            assert p.returncode == 0, p.stderr
            answer["cached"] = self.cached(p.stdout + p.stderr)
        if row.probe:
            ran = self.docker("run", "--rm", "--entrypoint", "/bin/sh", "made", "-c", row.probe)
            answer["probe"] = ran.stdout
        answer["config"] = config_of(json.loads(self.docker("image", "inspect", "made").stdout))
        history = self.docker("history", "--no-trunc", "--format", "{{.CreatedBy}}", "made").stdout.splitlines()
        answer["history"] = [h for h in plain_history(reversed(history)) if h not in ("", "layer 0")]
        return answer, p.stdout + p.stderr


def run(argv, stdin=None, **how):
    given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    return subprocess.run(argv, **given, capture_output=True, text=True, errors="backslashreplace",
                          timeout=120, check=False, **how)
