# SPDX-License-Identifier: Apache-2.0
"""inside.py SCRIPT: runs the steps of a script in a container.

A line `### NAME` begins a step; the lines before the first run ahead of each. The steps share a directory,
$WORK, and what they leave running. The last line of standard output is JSON: {"packages": {name: version},
"steps": {name: [exit code, what it printed]}}; a step whose time is up has the code "timeout".
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

STEP_S = 120
SHOWN_BYTES = 6000
WORK = "/tmp/work"  # always the same: programs print it
PACKAGES = ["git", "python3-pip", "tmux", "nodejs", "gcc", "sqlite3", "postgresql-15"]


def steps_of(path):
    """The text that runs ahead of each step, and the steps as [(name, text)]."""
    ahead, steps = "", []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("### "):
                steps.append((line[4:].strip(), ""))
            elif steps:
                steps[-1] = (steps[-1][0], steps[-1][1] + line)
            else:
                ahead += line
    return ahead, steps


def run_step(text, env):
    with open("/tmp/said", "w+b") as said:
        with subprocess.Popen(["bash", "-u", "-c", text, "step"], cwd=WORK, env=env,
                              stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True) as p:
            try:
                code = p.wait(STEP_S)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                code = "timeout"
        said.seek(0)
        text = said.read(SHOWN_BYTES).decode(errors="backslashreplace")
        return [code, re.sub(r"(step: line \d+: +)\d+ ", r"\1PID ", text)]  # of what a signal has ended


def versions():
    p = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *PACKAGES], check=False, capture_output=True, text=True)
    return dict(line.split(" ") for line in p.stdout.splitlines())


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK + "/home")
    os.umask(0o022)
    env = {"PATH": os.environ["PATH"], "HOME": WORK + "/home", "WORK": WORK, "LANG": "C.UTF-8", "TZ": "UTC", "SHELL": "/bin/bash",
           "TERM": "screen", "USER": subprocess.run(["id", "-un"], capture_output=True, text=True, check=False).stdout.strip()}
    ahead, steps = steps_of(sys.argv[1])
    found = {name: run_step(ahead + text, env) for name, text in steps}
    print("\n" + json.dumps({"packages": versions(), "steps": found}))


if __name__ == "__main__":
    main()
