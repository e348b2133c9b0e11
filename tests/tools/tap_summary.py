#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Run TAP programs and print what failed and a total.

	tap_summary.py [--as-user] PROGRAM[:ARGUMENT]... [--as-root PROGRAM...]

--as-user: where root calls, the programs run as csbx-test, from a copy that user can read: half of
what is tested does not apply to root. --as-root: programs with tests for which root has to arrange
something, once more as we are; left out where we are not root.

A program that is killed, exits non-zero without a failed line, prints no plan, or leaves a process
or a temporary file behind counts as one failure more. The last line is `N passed, N failed, N skipped`;
the exit code is 1 on a failure.
"""
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fixtures"))
import harness  # noqa: E402

TIMEOUT_S = 120
LINE = re.compile(rb"^(not )?ok\b\s*(\d*)\s*(?:- )?(.*)$")


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


class Runner:
    """Runs programs as we are, or as csbx-test in a temporary directory of its own."""

    def __init__(self, as_user):
        self.how = {}
        self.directory = None
        self.scratch = tempfile.mkdtemp(prefix="csbx-unit-tmp.", dir="/tmp")
        self.how["env"] = {**os.environ, "TMPDIR": self.scratch}
        harness.become_subreaper()
        if as_user and os.geteuid() == 0:
            user = pwd.getpwnam("csbx-test")
            self.directory = tempfile.mkdtemp(prefix="csbx-unit.", dir="/tmp")
            os.chown(self.directory, user.pw_uid, user.pw_gid)
            self.how = {"user": user.pw_uid, "group": user.pw_gid, "cwd": self.directory,
                        "extra_groups": os.getgrouplist(user.pw_name, user.pw_gid),
                        "env": {**self.how["env"], "HOME": user.pw_dir, "USER": user.pw_name}}
            os.chown(self.scratch, user.pw_uid, user.pw_gid)

    def path(self, program):
        """Tests that start csbx's programs find them above tests/, as in the build tree."""
        if self.directory:
            here = os.path.join(self.directory, "tests", "unit")
            if not os.path.isdir(here):
                os.makedirs(here)
                build = os.path.abspath(program).rpartition("/tests/")[0]
                for name in os.listdir(build):
                    if name.startswith("csbx"):
                        shutil.copy(os.path.join(build, name), self.directory)
            return shutil.copy(program, here)
        return program if "/" in program else "./" + program

    def leftovers(self):
        """Lines about things that the last program left behind; clears them away."""
        left = harness.wait_for_no_process()
        bad = [f"left process {harness.describe(pid)}" for pid in left]
        harness.kill_all(left)
        for name in os.listdir(self.scratch):
            bad.append(f"left {name} in TMPDIR")
            path = os.path.join(self.scratch, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
        return bad

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        if self.directory:
            shutil.rmtree(self.directory, ignore_errors=True)


def run(runner, program):
    """Output, exit code (None for a timeout)."""
    program, *args = program.split(":")
    try:
        p = subprocess.run([runner.path(program), *args], **runner.how, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False)
        return p.stdout, p.returncode
    except subprocess.TimeoutExpired as e:
        return e.stdout or b"", None
    except OSError as e:
        return f"# {e}\n".encode(), -1


def judge(out, code):
    """(passed, failed, skipped, reasons) of one program."""
    passed = failed = skipped = 0
    plan = None
    for line in out.splitlines():
        if m := re.match(rb"^1\.\.(\d+)", line):
            plan = int(m[1])
        elif m := LINE.match(line):
            if re.search(rb"# SKIP\b", line):
                skipped += 1
            elif m[1]:
                failed += 1
            else:
                passed += 1
    seen = passed + failed + skipped
    reasons = []
    if code is None:
        reasons.append(f"no end after {TIMEOUT_S} s")
    elif code < 0:
        reasons.append(f"killed by signal {-code}")
    elif code and not failed:
        reasons.append(f"exit code {code} without a failed test")
    if plan is None:
        reasons.append("no plan")
    elif plan != seen:
        reasons.append(f"{plan} tests planned, {seen} seen")
    elif not plan:
        reasons.append("no test in it")
    return passed, failed + bool(reasons), skipped, reasons


def main():
    as_user = sys.argv[1:2] == ["--as-user"]
    runner = Runner(as_user)
    total = Totals()
    for program in sys.argv[1 + as_user:]:
        if program == "--as-root":
            if os.geteuid() != 0:
                break
            runner.close()
            runner = Runner(False)
            print("  as root:")
            continue
        start = time.monotonic()
        out, code = run(runner, program)
        passed, failed, skipped, reasons = judge(out, code)
        left = runner.leftovers()
        failed += bool(left)
        reasons += left
        total.passed += passed
        total.failed += failed
        total.skipped += skipped
        name = os.path.basename(program.split(":")[0])
        print(f"  {'FAIL' if failed else 'ok':4}  {name}: {passed} passed, {failed} failed, "
              f"{skipped} skipped ({time.monotonic() - start:.2f} s)")
        if failed:
            for line in out.splitlines()[-200:]:
                if not line.startswith(b"ok "):
                    print("        " + line.decode(errors="backslashreplace"))
            for reason in reasons:
                print(f"        {reason}")
        sys.stdout.flush()
    runner.close()
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
