# SPDX-License-Identifier: Apache-2.0
"""Options that scripts for buildx give, and what is said of those that are not done."""
import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from registries import DebianRegistry, run  # noqa: E402

DOCKERFILE = "FROM box\nRUN echo 1 >/o\n"


def build(box, *words, text=DOCKERFILE, **kw):
    p = box.run("docker", "buildx", "build", *words, "-", stdin=text, **kw)
    return p.returncode, p.stderr


def test_words_of_scripts(box):
    code, said = build(box, "--load", "--provenance=false", "--sbom=false", "--builder", "default", "--platform", "linux/amd64",
                       "--progress=plain", "-t", "made")
    assert code == 0, said


@pytest.mark.parametrize("words,why", [
    (("--provenance=true",), "--provenance=false"),
    (("--sbom", "generator=x"), "--sbom=false"),
    (("--ssh", "default"), "--mount=type=secret"),
    (("--builder", "other"), 'no builder "other" found'),
    (("--push",), "tag is needed"),
])
def test_words_that_are_refused(box, words, why):
    """One line with the remedy, before anything is made."""
    code, said = build(box, *words)
    assert code == 1 and why in said and len(said.splitlines()) == 1, said


@pytest.mark.parametrize("run_words,why", [
    ("--mount=type=ssh", "--secret id=key,src=FILE"), ("--security=insecure", "no more rights"), ("--device=x", "has --device")])
def test_steps_that_are_refused(box, run_words, why):
    code, said = build(box, text=f"FROM box\nRUN {run_words} true\n")
    assert code == 1 and why in said.splitlines()[-1], said


@pytest.mark.both_users
def test_memory(box):
    """A step that holds more than it may fails, and one that holds less does not."""
    grow = "FROM box\nRUN dd if=/dev/zero of=/dev/null bs=%s count=1\n"
    code, said = build(box, "--memory", "64m", text=grow % "200M")
    assert code == 1 and "did not complete successfully" in said, said
    assert build(box, "-m", "64m", text=grow % "1M")[0] == 0


def test_push(box, tmp_path):
    """Under each name, with the id on standard output; one that fails is an error, and the image is there."""
    if not shutil.which("docker-registry") or not shutil.which("skopeo"):
        pytest.skip("docker-registry and skopeo are not installed")
    registry = DebianRegistry(tmp_path / "registry")
    try:
        names = [f"{registry.host}/app:1", f"{registry.host}/team/app:2"]
        p = box.run("docker", "buildx", "build", "-q", "--push", "-t", names[0], "-t", names[1], "-", stdin=DOCKERFILE)
        assert p.returncode == 0 and p.stdout.startswith("sha256:"), p.stderr
        local = json.loads(box.ok("docker", "image", "inspect", names[0]))[0]
        for name in names:
            config = run("skopeo", "inspect", "--tls-verify=false", "--config", f"docker://{name}").stdout
            assert json.loads(config)["rootfs"]["diff_ids"][-1] == local["RootFS"]["Layers"][-1]
    finally:
        registry.close()
    code, said = build(box, "--push", "-t", names[0])
    assert code == 1 and f"push of {names[0]}" in said.splitlines()[-1], said


@pytest.mark.both_users
def test_files_of_a_step_that_fails(box):
    """Kept on request alone, as an image without a name that has what the step had written."""
    text = "FROM box\nRUN echo 1 >/one\nRUN echo 2 >/two; rm /one; exit 5\n"
    count = ("docker", "images", "-q", "-f", "dangling=true")
    code, said = build(box, text=text)
    assert code == 1 and "as the failed step left them" not in said and not box.ok(*count)
    code, said = build(box, "--rm=false", "--cache-to", "type=inline", text=text)
    line = [x for x in said.splitlines() if "as the failed step left them" in x]
    assert code == 1 and len(line) == 1, said
    image = line[0].split()[-1]
    assert box.ok(*count).split() == [image]
    p = box.run("docker", "run", "--rm", image, "sh", "-c", "cat /two; test -e /one")
    assert p.stdout == "2\n" and p.returncode == 1
    assert box.ok("docker", "history", "--no-trunc", "--format", "{{.CreatedBy}}", image).splitlines()[0].endswith("# failed")
    # It is no cache hit: the step is made anew.
    assert build(box, text=text.replace("exit 5", "exit 0"))[0] == 0
    assert build(box, text=text)[0] == 1


@pytest.mark.parametrize("name", ["./box.sqsh", "box.sqsh"])
def test_a_file_as_the_base(box, busybox_image, name):
    """A line of cause and remedy, and the remedy works as it is written."""
    shutil.copy(busybox_image, box.dirs["work"] / "box.sqsh")
    code, said = build(box, text=f"FROM {name}\n")
    assert code == 1 and "invalid reference" not in said, said
    line = said.strip().splitlines()[-1]
    assert f"{name}: FROM takes the name of an image, not a file: " in line, line
    steps = line.partition("a file: ")[2].split("; ")
    assert steps[2] == "then FROM base", line
    for step in steps[:2]:
        box.ok(*step.split())
    assert build(box, text="FROM base\nRUN true\n")[0] == 0


def test_a_container_as_the_base(box, busybox_image):
    """It is told beside the reason why the pull failed; a name that nothing has is not."""
    box.ok("create", "--name", "bb", busybox_image)
    code, said = build(box, text="FROM bb\n", env={"https_proxy": "http://127.0.0.1:1"})
    line = said.strip().splitlines()[-1]
    assert code == 1 and "failed to resolve" in line and "docker commit bb bb" in line, said
    box.ok("docker", "commit", "bb", "bb")
    assert build(box, text="FROM bb\nRUN true\n")[0] == 0
    code, said = build(box, text="FROM 127.0.0.1:1/bb\n")
    assert code == 1 and "docker commit" not in said, said


def test_disk_usage(box):
    """docker system df has what builds keep, and a prune frees as much as it says."""
    def cache():
        shown = box.ok("docker", "system", "df", "--format", "{{.Type}}|{{.TotalCount}}|{{.Size}}|{{.Reclaimable}}")
        return next(line for line in shown.splitlines() if line.startswith("Build Cache|")).split("|")[1:]
    assert cache() == ["0", "0B", "0B"]
    assert build(box, text="FROM box\nRUN dd if=/dev/zero of=/o bs=1M count=2\n")[0] == 0
    count, size, free = cache()
    assert int(count) > 0 and size.endswith("MB") and free == f"{size} (100%)"
    assert f"Build cache usage: {size}\n" in box.ok("docker", "system", "df", "-v")
    pruned = box.ok("docker", "builder", "prune", "-a", "-f").splitlines()[-1]
    assert pruned.split("\t")[-1].split(":")[-1].strip() == size, pruned
    assert cache() == ["0", "0B", "0B"]
