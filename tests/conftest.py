# SPDX-License-Identifier: Apache-2.0
"""The pytest frame of tests/integration, tests/hostile and tests/judge; run by tests/tools/run_pytest."""
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

sys.path.insert(0, str(Path(__file__).parent / "fixtures"))
import cgroups  # noqa: E402
import harness  # noqa: E402
import images  # noqa: E402
import ociimage  # noqa: E402
from terminal import Terminal  # noqa: E402

SESSION = os.environ.get("CSBX_TEST_SESSION", "main")
MUST_WORK = os.environ.get("CSBX_MUST_WORK") == "1"
RUN_TWICE = {}  # node id: what the first run said
RUN_TWICE_MAX = 5


def pytest_configure(config):
    harness.become_subreaper()
    # A shell starts what it puts into the background with SIGINT ignored, and that is inherited.
    for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(sig) == signal.SIG_IGN:
            signal.signal(sig, signal.default_int_handler if sig == signal.SIGINT else signal.SIG_DFL)
    for line in ("both_users: runs as the user without subordinate ids too",
                 "needs_root: root arranges something; csbx runs as csbx-test all the same",
                 "feature(name): skipped where `csbx doctor --feature name` says no"):
        config.addinivalue_line("markers", line)


def pytest_sessionfinish(session):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    for key, name in (("passed", "passed"), ("failed", "failed"), ("error", "failed"),
                      ("skipped", "skipped"), ("xfailed", "skipped"), ("xpassed", "failed")):
        counts[name] += len(reporter.stats.get(key, []))
    if path := os.environ.get("CSBX_TEST_RESULT"):
        Path(path).write_text(json.dumps(list(counts.values())), encoding="ascii")


def pytest_runtest_protocol(item, nextitem):
    """
    A loaded or emulated machine may miss a limit of time: a failure counts if it repeats. More than
    a handful is not the machine's doing.
    """
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    failed = [r for r in reports if r.failed]
    if failed and len(RUN_TWICE) < RUN_TWICE_MAX:
        RUN_TWICE[item.nodeid] = failed[0].longreprtext
        item._initrequest()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if any(r.failed for r in reports):  # told as any failure is
            RUN_TWICE[item.nodeid] = "and failed again"
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter):
    for name, said in RUN_TWICE.items():
        terminalreporter.section(f"run twice: {name}")
        terminalreporter.write_line(said)


def skip_or_fail(reason):
    """A machine may lack a feature; the one that CI runs on must not."""
    (pytest.fail if MUST_WORK else pytest.skip)(reason)


def pytest_make_parametrize_id(val):
    """Hostile parameters may be huge, and the id goes into an environment variable of pytest's."""
    return repr(val)[:60] if isinstance(val, (str, bytes)) and len(val) > 60 else None


@pytest.fixture(scope="session")
def session_dir():
    with tempfile.TemporaryDirectory(prefix="s", dir=os.environ.get("TMPDIR")) as d:
        os.chmod(d, 0o755)
        yield Path(d)


@pytest.fixture
def csbx(request, tmp_path_factory):
    """csbx in private directories. After the test nothing of it may be left on the machine."""
    if request.node.get_closest_marker("needs_root") and os.geteuid() != 0:
        pytest.skip("needs root to arrange it")
    box = harness.Sandbox(top=os.environ.get("TMPDIR"))
    try:
        for mark in request.node.iter_markers("feature"):
            require_feature(box, mark.args[0])
        yield box
        left = box.leftovers()
        assert not left, "left behind: " + "; ".join(left)
    finally:
        box.close()


@pytest.fixture
def delegated(csbx):
    """A group that root gives to the test user, who is in it; none of csbx's may be left there. For tests of root's."""
    if not cgroups.tree():
        pytest.skip("no cgroup v2 tree is mounted")
    d = cgroups.Delegated(csbx.owner)
    d.enter()
    csbx.env["CSBX_CGROUP_PARENT"] = str(d.path)
    yield d
    csbx.wait_until_gone()
    left = d.close()
    assert not left, left


def require_feature(box, name):
    p = box.run("doctor", "--feature", name)
    if p.returncode:
        skip_or_fail((p.stdout + p.stderr).strip() or f"csbx doctor --feature {name}: no")


def layout(kind):
    try:
        return images.layout(kind)
    except images.MissingTool as e:
        return skip_or_fail(str(e))


@pytest.fixture(scope="session")
def python_layout():
    """OCI layout around this machine's own python3."""
    return layout("python")


@pytest.fixture(scope="session")
def busybox_layout():
    return layout("busybox")


@pytest.fixture(scope="session")
def python_image(session_dir, python_layout):
    """The python image as a squashfs file, imported once a session."""
    return harness.import_once(session_dir, python_layout, "python")


@pytest.fixture(scope="session")
def busybox_image(session_dir, busybox_layout):
    return harness.import_once(session_dir, busybox_layout, "busybox")


@pytest.fixture(scope="session")
def debian_image(session_dir):
    """Debian with python3 and git; root's session, which comes first, has it made."""
    return harness.import_once(session_dir, layout("debian"), "debian")


@pytest.fixture
def make_image(csbx):
    """make_image(entries..., config={}) -> squashfs file of an image with these layers."""
    def make(*layers, config=None, name="made", options=(), **kw):
        image = ociimage.Image([ociimage.make_layer(x) for x in layers],
                               config or {"Cmd": ["/bin/sh"], "Env": [images.PATH_ENV]}, **kw)
        source = csbx.work / f"{name}.oci"
        image.write_oci(source)
        out = csbx.work / f"{name}.sqsh"
        csbx.ok("import", *options, "-o", out, f"oci:{source}")
        return out
    return make


@pytest.fixture
def terminal(csbx):
    made = []

    def start(*argv, **kw):
        made.append(Terminal(csbx, list(argv), **kw))
        return made[-1]
    yield start
    for t in made:
        t.close()
