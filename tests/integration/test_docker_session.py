# SPDX-License-Identifier: Apache-2.0
"""A day with docker, as a script written for it has it: not one command is changed."""
import os
import subprocess

import pytest

import images
import judgeimages

pytestmark = pytest.mark.feature("userns")

TESTS = """
import os


def test_where():
    assert os.getcwd() == "/workspace" and (os.getuid(), os.getgid()) == (1000, 1000)


def test_what_may_be_written(tmp_path):
    (tmp_path / "f").write_text("x")
    with open("made", "w") as f:
        f.write("by the container")
    try:
        open("/f", "w")
    except OSError as e:
        assert e.errno == 30
    else:
        assert False


def test_there_is_no_network():
    assert os.listdir("/sys/class/net") == ["lo"]
"""

RUN = """
docker load -i app.tar
docker run --rm --network=none --memory=2g --cpus=2 --read-only --tmpfs=/tmp:size=256m --volume=$PWD:/workspace:rw \
    --workdir=/workspace --user=1000:1000 app python -m pytest -v
"""

STAYS = """
set -e
docker load -q -i app.tar
docker tag app app:kept
docker images --format '{{.Repository}}:{{.Tag}}'
id=$(docker run -d --name box --network none -w /testbed app sleep 2h)
test ${#id} = 64
docker exec -w /testbed -e A=1 box sh -lc 'echo $A >out; echo $A | tee /out'
docker cp box:/out .
docker cp test_it.py box:/testbed
docker exec box python -m pytest -q -k network -p no:cacheprovider | tail -1 | cut -d' ' -f1-2
csbx list | grep -c box
docker logs box
docker stop box
docker rm -f box
docker rmi app:kept app
docker ps -aq
"""


@pytest.fixture(scope="module")
def archive(session_dir):
    """An archive as `docker save` writes it, of an image with python and pytest."""
    path = session_dir / "app.tar"
    try:
        judgeimages.image("pytest-bare").write_docker_archive(path, tags=("app:latest",))
    except images.MissingTool as e:
        pytest.skip(str(e))
    path.chmod(0o644)
    return path


@pytest.fixture
def script(csbx, archive):
    """Runs a shell script in a directory with app.tar, `docker` being csbx."""
    csbx.ok("shims", "bin")
    os.symlink(archive, csbx.work / "app.tar")
    (csbx.work / "test_it.py").write_text(TESTS, encoding="utf-8")
    (csbx.work / "test_it.py").chmod(0o644)

    def run(text):
        programs = f"{csbx.work}/bin:{os.path.dirname(csbx.argv([])[0])}"
        env = {**csbx.env, "PATH": f"{programs}:{csbx.env['PATH']}"}
        return subprocess.run(["sh", "-c", text], env=env, cwd=csbx.work, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False, **csbx.identity())
    return run


@pytest.mark.both_users
def test_tests_are_run(script, csbx):
    p = script(RUN)
    assert p.returncode == 0, p.stdout + p.stderr
    assert p.stdout.startswith("Loaded image: app:latest\n") and "3 passed" in p.stdout
    assert "test_it.py::test_where PASSED" in p.stdout
    assert "WARNING" not in p.stderr
    made = csbx.work / "made"
    assert made.read_text(encoding="utf-8") == "by the container"
    # Files that the container's user makes are the caller's.
    assert made.stat().st_uid == (csbx.work / "bin").stat().st_uid


def test_a_container_stays(script):
    p = script(STAYS)
    assert p.returncode == 0, p.stdout + p.stderr
    assert p.stdout == ("Loaded image: app:latest\napp:kept\napp:latest\n1\n1 passed,\n1\nbox\nbox\n"
                        "Untagged: app:kept\nUntagged: app:latest\n" + p.stdout[p.stdout.index("Deleted: "):])
