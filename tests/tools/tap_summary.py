#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Run TAP programs and print what failed and a total: tap_summary.py PROGRAM[:ARGUMENT]...

A program that is killed, exits non-zero without a failed line, or prints no plan counts as one
failure more. The last line is `N passed, N failed, N skipped`; the exit code is 1 on a failure.
"""
import os
import re
import subprocess
import sys
import time

TIMEOUT_S = 120
LINE = re.compile(rb"^(not )?ok\b\s*(\d*)\s*(?:- )?(.*)$")


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def run(program):
    """Output, exit code (None for a timeout)."""
    program, *args = program.split(":")
    path = program if "/" in program else "./" + program
    try:
        p = subprocess.run([path, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
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
    total = Totals()
    for program in sys.argv[1:]:
        start = time.monotonic()
        out, code = run(program)
        passed, failed, skipped, reasons = judge(out, code)
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
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
