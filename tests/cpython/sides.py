# SPDX-License-Identifier: Apache-2.0
"""A module of CPython's test-suite in a container of csbx and in one of Docker, by the same words."""
import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.json"
USERS = {"root": "0", "app": "1000"}
MODULE_S = 600  # the longest needs a tenth on an idle machine
START_S = 60
# A limit that tests may reach, the same for every starter of the container.
COMMON = ["--rm", "--init", "--network", "none", "--ulimit", "nofile=1024:4096", "-v", f"{HERE}:/suite:ro"]
# csbx's loopback has ::1; Docker's has it where it is asked to.
DOCKER_ONLY = ["--sysctl", "net.ipv6.conf.all.disable_ipv6=0", "--sysctl", "net.ipv6.conf.lo.disable_ipv6=0"]


def words(user, image, module):
    return [*COMMON, "-u", USERS[user], image, "python3", "/suite/inside.py", module, str(MODULE_S)]


def by_csbx(box, image, user, module):
    """The report of inside.py, run by csbx; image is a squashfs file."""
    p = box.run("docker", "run", *words(user, image, module), timeout=MODULE_S + START_S)
    return report_of(p.returncode, p.stdout, p.stderr)


def by_docker(engine, user, module):
    p = subprocess.run([*engine.command, "run", *DOCKER_ONLY, *words(user, "cpython", module)], check=False, capture_output=True,
                       text=True, stdin=subprocess.DEVNULL, timeout=MODULE_S + START_S)
    return report_of(p.returncode, p.stdout, p.stderr)


def report_of(code, out, err):
    assert code == 0 and out.strip(), f"exit code {code}\n{out[-1000:]}\n{err[-3000:]}"
    return json.loads(out.strip().split("\n")[-1])


# --- what Docker answered ---------------------------------------------------------------------------
# {"version": of the package, "root": outcomes of each module, "app": of each module what differs from root's}
# Outcomes are kept by class and outcome: {"FileTests": {"ok": "test_a test_b", "skip": "test_c"}}.

def packed(module, outcomes):
    found = {}
    for test, outcome in sorted(outcomes.items()):
        group, name = split(module, test)
        found.setdefault(group, {}).setdefault(outcome, []).append(name)
    return {g: {o: " ".join(names) for o, names in by.items()} for g, by in found.items()}


def split(module, test):
    """Class and name of a test's id; of another id (`setUpClass (test_os.FileTests)`) "" and all of it."""
    group, _, name = test.removeprefix(module + ".").rpartition(".")
    if test.startswith(module + ".") and group and " " not in test:
        return group, name
    return "", test.replace(" ", "\t")  # one word


def unpacked(module, kept):
    found = {}
    for group, by in kept.items():
        for outcome, names in by.items():
            for name in names.split(" "):
                found[f"{module}.{group}.{name}" if group else name.replace("\t", " ")] = outcome
    return found


class Answers:
    def __init__(self, path=ANSWERS):
        self.path = path
        self.kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"version": "", "root": {}, "app": {}}

    @property
    def version(self):
        return self.kept["version"]

    def outcomes(self, user, module):
        """{test: outcome}, or None for a module that is not recorded."""
        if module not in self.kept["root"]:
            return None
        found = unpacked(module, self.kept["root"][module])
        if user != "root":
            found.update(unpacked(module, self.kept[user].get(module, {})))
        return {t: o for t, o in found.items() if o != "absent"}

    def keep(self, version, module, root, app):
        """root, app: {test: outcome}."""
        self.kept["version"] = version
        self.kept["root"][module] = packed(module, root)
        other = {t: app.get(t, "absent") for t in {*root, *app} if app.get(t) != root.get(t)}
        self.kept["app"].pop(module, None)
        if other:
            self.kept["app"][module] = packed(module, other)

    def write(self, modules):
        for user in USERS:
            self.kept[user] = {m: self.kept[user][m] for m in sorted(modules) if m in self.kept[user]}
        lines = [f'"version": {json.dumps(self.version)}']
        for user in USERS:
            body = ",\n".join(f"{json.dumps(m)}: {json.dumps(a)}" for m, a in self.kept[user].items())
            lines.append(f'"{user}": {{\n{body}\n}}')
        self.path.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
