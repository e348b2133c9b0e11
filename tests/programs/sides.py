# SPDX-License-Identifier: Apache-2.0
"""A script in a container of csbx and in one of Docker, by the same words; and what Docker answered."""
import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.json"
SCRIPTS = sorted(p.stem for p in (HERE / "scripts").glob("*.sh"))
SAMPLE = ["git"]  # `make check` runs these, in a small image that other tests have too
USERS = {"root": "0", "app": "1000"}
SCRIPT_S = 600
COMMON = ["--rm", "--init", "--network", "none", "--shm-size", "256m", "--ulimit", "nofile=1024:4096", "--ulimit", "core=0", "-v", f"{HERE}:/suite:ro"]


def words(user, image, script):
    return [*COMMON, "-u", USERS[user], image, "python3", "/suite/inside.py", f"/suite/scripts/{script}.sh"]


def by_csbx(box, image, user, script):
    """The report of inside.py, run by csbx; image is a squashfs file."""
    p = box.run("docker", "run", *words(user, image, script), timeout=SCRIPT_S)
    return report_of(p.returncode, p.stdout, p.stderr)


def by_docker(engine, user, script):
    p = subprocess.run([*engine.command, "run", *words(user, "programs", script)], check=False, capture_output=True, text=True,
                       stdin=subprocess.DEVNULL, timeout=SCRIPT_S)
    return report_of(p.returncode, p.stdout, p.stderr)


def report_of(code, out, err):
    assert code == 0 and out.strip(), f"exit code {code}\n{out[-1000:]}\n{err[-3000:]}"
    return json.loads(out.strip().split("\n")[-1])


class Answers:
    """{"packages": versions, "root": {script: {step: [exit code, output]}}, "app": of each script what differs from root's}."""

    def __init__(self, path=ANSWERS):
        self.path = path
        self.kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"packages": {}, "root": {}, "app": {}}

    def steps(self, user, script):
        """{step: [exit code, output]}, or None for a script that is not recorded."""
        if script not in self.kept["root"]:
            return None
        found = dict(self.kept["root"][script])
        if user != "root":
            found.update(self.kept[user].get(script, {}))
        return found

    def keep(self, packages, script, root, app):
        self.kept["packages"] = packages
        self.kept["root"][script] = root
        self.kept["app"][script] = {step: said for step, said in app.items() if said != root[step]}

    def write(self):
        lines = [f'"packages": {json.dumps(self.kept["packages"])}']
        for user in USERS:
            scripts = [f"{json.dumps(name)}: {{\n" + ",\n".join(f"{json.dumps(s)}: {json.dumps(a)}" for s, a in steps.items()) + "\n}"
                       for name, steps in sorted(self.kept[user].items()) if name in SCRIPTS]
            lines.append(f'"{user}": {{\n' + ",\n".join(scripts) + "\n}")
        self.path.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
