# SPDX-License-Identifier: Apache-2.0
"""inside.py MODULE TIMEOUT_S: runs one module of CPython's test-suite in a container.

The last line of standard output is JSON: {"version": of the package, "outcomes": {test id: outcome},
"said": {test id: reason of a skip or last line of a traceback}, "log": the end of what was printed}.
Outcomes are ok, skip, fail, error, of the parts of a test the worst; of a module that ends early the
test it was at has "died", and if time is up "timeout".
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

RANK = ["ok", "skip", "fail", "error", "died", "timeout"]
RESOURCES = ["subprocess", "walltime"]  # neither the network nor what takes minutes of a CPU
LOG_BYTES = 3000
END_S = 5


def run_module(name, report):
    """In the child: the module's tests, a line of JSON for each step."""
    import importlib  # pylint: disable=import-outside-toplevel
    import unittest  # pylint: disable=import-outside-toplevel
    from test import support  # pylint: disable=import-outside-toplevel,import-error,no-name-in-module

    def tell(*words):
        report.write(json.dumps(words) + "\n")
        report.flush()

    class Result(unittest.TextTestResult):
        def startTest(self, test):
            super().startTest(test)
            tell("at", test.id())

        def stopTest(self, test):
            super().stopTest(test)
            tell("end", test.id())

        def addSuccess(self, test):
            super().addSuccess(test)
            tell("ok", test.id())

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            tell("ok", test.id())

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            tell("fail", test.id(), "unexpected success")

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            tell("skip", whole(test), reason)

        def addFailure(self, test, err):
            super().addFailure(test, err)
            tell("fail", whole(test), last_line(err))

        def addError(self, test, err):
            super().addError(test, err)
            tell("error", whole(test), last_line(err))

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err:
                tell("fail" if issubclass(err[0], test.failureException) else "error", test.id(), last_line(err))

    def whole(test):
        return getattr(test, "test_case", test).id()  # a subtest counts for its test

    def last_line(err):
        return f"{err[0].__name__}: {err[1]}"[:500]

    def run_suite(suite):
        unittest.TextTestRunner(resultclass=Result, verbosity=2).run(suite)

    sys.path[0] = os.getcwd()  # tests write beside what they find there
    support.use_resources = RESOURCES
    support.verbose = 1
    support._run_suite = run_suite  # what test_main() and we ourselves come to
    try:
        module = importlib.import_module("test." + name)
        main = getattr(module, "test_main", None)
        if main:
            main()
        else:
            support.run_unittest(unittest.defaultTestLoader.loadTestsFromModule(module))
    except unittest.SkipTest as e:
        tell("skip", name, str(e))


def read_report(lines):
    """(outcome of each test, what was said about it, the test that was not finished)."""
    outcomes, said, at = {}, {}, None
    for line in lines:
        what, test, *text = json.loads(line)
        test = test.replace("test.", "", 1) if test.startswith("test.") else test.replace("(test.", "(", 1)
        if what in ("at", "end"):
            at = test if what == "at" else None
            continue
        if RANK.index(what) >= RANK.index(outcomes.get(test, "ok")):
            outcomes[test] = what
            said.update({test: t for t in text})
    return outcomes, said, at


def version():
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libpython3.11-testsuite"], check=True, capture_output=True,
                          text=True).stdout


def end_of(path):
    with open(path, "rb") as f:
        f.seek(0, os.SEEK_END)
        f.seek(max(0, f.tell() - LOG_BYTES))
        return f.read().decode(errors="replace")


def main():
    name, timeout_s = sys.argv[1], float(sys.argv[2])
    work = tempfile.mkdtemp(prefix="cpython-")
    report, log = work + "/report", work + "/log"
    os.mkdir(work + "/cwd")
    with open(report, "x", encoding="utf-8"), open(log, "xb") as out:
        # A group of its own: some tests signal theirs. No session: those of terminals make one.
        with subprocess.Popen([sys.executable, __file__, "--child", name, report], cwd=work + "/cwd", stdin=subprocess.DEVNULL,
                              stdout=out, stderr=out, start_new_session=True) as p:
            try:
                code = p.wait(timeout_s)
                ended = None
            except subprocess.TimeoutExpired:
                ended, code = "timeout", None
                os.killpg(p.pid, signal.SIGABRT)  # faulthandler prints where it hangs
                try:
                    p.wait(END_S)
                except subprocess.TimeoutExpired:
                    pass
            try:
                os.killpg(p.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    with open(report, encoding="utf-8") as f:
        outcomes, said, at = read_report(f)
    if code != 0 or at:
        outcomes[at or name] = ended or "died"
        said[at or name] = f"exit code {code}"
    print(json.dumps({"version": version(), "outcomes": outcomes, "said": said, "log": end_of(log)}))
    shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        import faulthandler
        faulthandler.enable()
        with open(sys.argv[3], "a", encoding="utf-8") as f:
            run_module(sys.argv[2], f)
    else:
        main()
