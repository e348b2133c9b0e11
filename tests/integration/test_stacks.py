# SPDX-License-Identifier: Apache-2.0
"""Roots of many lower layers: upper directories over an image, files of a stack."""
import json
import random
import subprocess
import tarfile
import time

import pytest

import images
from ociimage import D, F, Image, make_layer

CHANGES = [
    "echo one >/added; rm /tree/gone; rm -r /tree/opaque; mkdir /tree/opaque; echo new >/tree/opaque/new",
    "echo two >/second; rm /added; echo more >>/tree/appended; chmod 2750 /tree/kept",
    "mkdir -p /tree/gone; echo three >/tree/gone/file; rm -r /tree/opaque",
]
LISTING = "cd /; for f in added second tree tree/*; do stat -c '%n %f %u %g' $f; done; cat added second tree/appended " \
          "tree/gone/file; ls -R tree; true"


@pytest.fixture
def box(csbx, make_image):
    entries = [D("tree"), F("tree/gone", b"1"), D("tree/opaque"), F("tree/opaque/below", b"1"), D("tree/kept"),
               F("tree/appended", b"one\n")]
    image = make_image(images.base_entries() + entries, config={"Env": [images.PATH_ENV]})
    csbx.ok("create", "-n", "box", image)
    yield csbx
    csbx.run("remove", "-f", "box")


def run_over(box, layers, script, **rootfs):
    """The output of a script in a root of these upper directories, the lowest first, over the image."""
    spec = {"version": 1, "name": rootfs.pop("name", None) or "over",
            "rootfs": {"kind": "squashfs", "path": str(box.work / "made.sqsh"), "layers": layers, **rootfs},
            "process": {"argv": ["/bin/sh", "-c", script], "env": [images.PATH_ENV]}}
    return box.ok("run", "--spec", "-", stdin=json.dumps(spec))


@pytest.mark.both_users
def test_upper_directories_as_lower_layers(box):
    """Three runs, one over the other, make the same files as one run in one layer."""
    layers = []
    for i, script in enumerate(CHANGES):
        run_over(box, layers, script, upper="kept", name=f"step{i}")
        layers.append(str(box.dirs["data"] / "layers" / f"step{i}" / "upper"))
    box.ok("start", "-w", "box", "sh", "-c", "\n".join(CHANGES))
    shown = box.ok("start", "-w", "box", "sh", "-c", LISTING)
    assert run_over(box, layers, LISTING) == shown
    assert run_over(box, layers, LISTING, upper="readonly") == shown
    assert "three" in shown and "added" not in shown and "opaque" not in shown
    below = run_over(box, layers[:2], LISTING)
    assert "tree/opaque:\nnew\n" in below and "tree/gone" not in below


def test_forty_layers(box):
    layers = []
    for i in range(40):
        layer = box.work / f"layer{i}"
        layer.mkdir()
        (layer / f"file{i}").write_text(str(i))
        (layer / "last").write_text(str(i))
        layers.append(str(layer))
    assert run_over(box, layers, "cat /last; ls -d /file* | wc -l").split() == ["3940"]


def test_layers_that_are_none(box):
    spec = {"version": 1, "process": {"argv": ["true"]},
            "rootfs": {"kind": "squashfs", "path": str(box.work / "made.sqsh"), "layers": ["relative"]}}
    box.fails("run", "--spec", "-", stdin=json.dumps(spec), says="layers: relative: must be an absolute path")
    spec["rootfs"]["layers"] = [str(box.work / "none")]
    box.fails("run", "--spec", "-", stdin=json.dumps(spec), says="none: No such file or directory")
    spec["rootfs"]["layers"] = ["/tmp"] * 65
    box.fails("run", "--spec", "-", stdin=json.dumps(spec), says="layers: more than 64")


# --- images that are stacks -----------------------------------------------------------------------------------------

CONTENT = LISTING + "; id -un; cat /.csbx/diff_ids.json >/dev/null"


def docker(csbx, *argv):
    p = csbx.run("docker", *argv)
    assert p.returncode == 0, f"{argv}: {p.returncode}\n{p.stdout}{p.stderr}"
    return p.stdout


def inside(csbx, image, script):
    return docker(csbx, "run", "--rm", image, "sh", "-c", script)


def commit(csbx, image, script, name):
    """Runs a script in a container of an image and commits the container as an image."""
    docker(csbx, "run", "--name", "step", image, "sh", "-c", script)
    docker(csbx, "commit", "step", name)
    shown = docker(csbx, "diff", "step")
    docker(csbx, "rm", "step")
    return shown


@pytest.fixture
def table(csbx):
    """The directory of images, with app:0 in it, a file of its own."""
    entries = [D("tree"), F("tree/gone", b"1"), D("tree/opaque"), F("tree/opaque/below", b"1"), D("tree/kept"),
               F("tree/appended", b"one\n")]
    image = Image([make_layer(images.base_entries() + entries)], {"Cmd": ["/bin/sh"], "Env": [images.PATH_ENV]})
    image.write_docker_archive(csbx.work / "app.tar", generation=1, tags=["app:0"])
    docker(csbx, "load", "-i", csbx.work / "app.tar")
    yield csbx.dirs["data"] / "images"
    csbx.run("docker", "rm", "-f", "step", "held")


def file_of(csbx, image):
    return docker(csbx, "image", "inspect", "-f", "{{.Id}}", image).strip().removeprefix("sha256:") + ".sqsh"


@pytest.mark.both_users
def test_commits_over_commits(csbx, table):
    """Three commits show what three runs in one layer show; the base is there once, and served once."""
    docker(csbx, "run", "--name", "held", "app:0", "sh", "-c", "\n".join(CHANGES))
    docker(csbx, "commit", "held", "whole:1")
    for i, script in enumerate(CHANGES):
        shown = commit(csbx, f"app:{i}", script, f"app:{i + 1}")
    assert "C /tree" in shown and "D /tree/opaque" in shown and "A /tree/gone/file" in shown
    assert inside(csbx, "app:3", CONTENT) == inside(csbx, "whole:1", CONTENT)
    assert "tree/opaque:\nnew\n" in inside(csbx, "app:2", CONTENT)
    base, top = file_of(csbx, "app:0"), file_of(csbx, "app:3")
    assert sorted(p.name for p in table.glob(top + "*")) == [top, top + ".0", top + ".1", top + ".2"]
    assert (table / (top + ".0")).samefile(table / base)
    assert (table / top).stat().st_size < 65536 < (table / base).stat().st_size
    for image in ("app:0", "app:1", "app:3", "whole:1"):
        docker(csbx, "run", "-d", "--label", "here", image, "sleep", "60")
    assert len(json.loads(csbx.ok("list", "--servers", "--json"))) == 1
    docker(csbx, "rm", "-f", *docker(csbx, "ps", "-q", "--filter", "label=here").split())


def test_the_base_goes_first(csbx, table):
    """The files below a stack stay as long as the stack, and go with the last image that has them."""
    commit(csbx, "app:0", CHANGES[0], "app:1")
    docker(csbx, "rmi", "app:0")
    csbx.ok("gc")
    assert inside(csbx, "app:1", "cat /added") == "one\n"
    docker(csbx, "create", "--name", "held", "app:1", "cat", "/added", "/tree/appended")
    docker(csbx, "rmi", "-f", "app:1")
    csbx.ok("gc")
    assert not list(table.glob("*.sqsh*"))
    assert docker(csbx, "start", "-a", "held") == "one\none\n"


def test_as_high_as_a_stack_may_be(csbx, table):
    """The ninth file makes them one again."""
    for i in range(9):
        commit(csbx, f"app:{i}", f"echo {i} >>/log; echo {i} >/file{i}", f"app:{i + 1}")
    assert len(list(table.glob(file_of(csbx, "app:7") + "*"))) == 8
    assert len(list(table.glob(file_of(csbx, "app:8") + "*"))) == 1
    assert inside(csbx, "app:9", "cat /log; ls -d /file* | wc -l").split() == [*map(str, range(9)), "9"]


def test_a_stack_as_container_of_csbx(csbx, table):
    commit(csbx, "app:0", CHANGES[0], "app:1")
    csbx.ok("create", "-n", "py", "app:1")
    docker(csbx, "rmi", "app:1", "app:0")
    assert csbx.ok("start", "-w", "py", "sh", "-c", "cat /added; echo mine >>/added") == "one\n"
    csbx.ok("export", "py")
    csbx.ok("cp", "py:/added", csbx.work / "copy")
    assert (csbx.work / "copy").read_text() == "one\nmine\n"
    assert csbx.ok("start", csbx.work / "py.sqsh", "sh", "-c", LISTING).startswith("added")
    csbx.ok("remove", "-f", "py")


def test_a_lower_file_that_is_gone(csbx, table):
    commit(csbx, "app:0", CHANGES[0], "app:1")
    (table / (file_of(csbx, "app:1") + ".0")).rename(table / "elsewhere")
    p = csbx.run("docker", "run", "--rm", "app:1", "true")
    assert p.returncode == 125 and ".sqsh.0, which " in p.stderr, p.stderr


@pytest.mark.both_users
def test_saved_and_loaded(csbx, table):
    """csbx saves the files of a stack as layers, those of all images of one base once; a loaded image shows the same
    files."""
    for i, script in enumerate(CHANGES[:2]):
        commit(csbx, f"app:{i}", script, f"app:{i + 1}")
    build(csbx, "built:1", "FROM app:1", f"RUN {CHANGES[1]}", "RUN mkfifo /fifo; ln -s none /link; ln /second /tree/name")
    tags = ["app:1", "app:2", "built:1"]
    shown = [inside(csbx, tag, CONTENT) for tag in tags]
    before = [diff_ids(csbx, tag) for tag in tags]
    docker(csbx, "save", "-o", csbx.work / "saved.tar", *tags)
    with tarfile.open(csbx.work / "saved.tar") as tar:
        layers = [x["Layers"] for x in json.load(tar.extractfile("manifest.json"))]
    assert [len(x) for x in layers] == [2, 3, 3] and len({y for x in layers for y in x}) == 4
    assert layers[0] == layers[1][:2] == layers[2][:2]
    docker(csbx, "rmi", "-f", "app:0", *tags)
    docker(csbx, "load", "-i", csbx.work / "saved.tar")
    assert [inside(csbx, tag, CONTENT) for tag in tags] == shown
    # The lowest file's layer is another tar than the one it came as; those above are the same.
    assert [diff_ids(csbx, tag)[1:] for tag in tags] == [x[1:] for x in before]


def checksum(data):
    """As runtime/base/flat.c has it."""
    h, whole = 0xcbf29ce484222325, len(data) // 8 * 8
    for at in range(0, whole, 8):
        h = (h ^ int.from_bytes(data[at:at + 8], "little")) * 0x100000001b3 % 2**64
        h ^= h >> 32
    for byte in data[whole:]:
        h = (h ^ byte) * 0x100000001b3 % 2**64
    return (h ^ h >> 32) % 2**32


def test_a_layer_that_cannot_be_made_again(csbx, table):
    """Its file is read together with the others then."""
    commit(csbx, "app:0", CHANGES[0], "app:1")
    shown, file = inside(csbx, "app:1", CONTENT), table / file_of(csbx, "app:1")
    data = file.read_bytes()
    ident = diff_ids(csbx, "app:1")[1].encode()
    assert data.count(ident) >= 1
    # Its record is written anew, with the diff_id of another layer in it: flat records have a checksum.
    other = b"sha256:" + b"0" * 64
    at = (int.from_bytes(data[40:48], "little") + 4095) // 4096 * 4096
    record = bytearray(data[at:].replace(ident, other))
    file.chmod(0o600)
    file.write_bytes(data[:at] + bytes(record))
    p = csbx.run("docker", "run", "--rm", "app:1", "true")
    assert p.returncode == 125 and "the record behind the file system: damaged record" in p.stderr, p.stderr
    record[12:16] = checksum(bytes(record[16:])).to_bytes(4, "little")
    file.write_bytes(data[:at] + bytes(record))
    docker(csbx, "save", "-o", csbx.work / "saved.tar", "app:1")
    with tarfile.open(csbx.work / "saved.tar") as tar:
        assert len(json.load(tar.extractfile("manifest.json"))[0]["Layers"]) == 1
    docker(csbx, "rmi", "app:0", "app:1")
    docker(csbx, "load", "-i", csbx.work / "saved.tar")
    assert inside(csbx, "app:1", CONTENT) == shown


def test_started_by_its_path(csbx, table):
    """The topmost file's path means the whole stack: for csbx, for a specification, for enroot; a bundle takes no part."""
    commit(csbx, "app:0", CHANGES[0], "app:1")
    commit(csbx, "app:1", CHANGES[1], "app:2")
    path, shown = table / file_of(csbx, "app:2"), inside(csbx, "app:2", CONTENT)
    assert csbx.ok("start", path, "sh", "-c", CONTENT) == shown
    spec = {"version": 1, "rootfs": {"kind": "squashfs", "path": str(path)},
            "process": {"argv": ["/bin/sh", "-c", CONTENT], "env": [images.PATH_ENV]}}
    assert csbx.ok("run", "--spec", "-", stdin=json.dumps(spec)) == shown
    assert csbx.ok("enroot", "start", "--root", path, "sh", "-c", "cat /second; ls /tree/opaque") == "two\nnew\n"
    p = csbx.run("enroot", "bundle", "-o", csbx.work / "app.run", path)
    assert p.returncode and "lies over 2 other files; csbx create and csbx export make one of them" in p.stderr, p.stderr
    assert not (csbx.work / "app.run").exists()


def test_many_images_over_one_base(csbx, table):
    """Their bytes are on disk once, one server serves them, and each shows its own."""
    context = csbx.work / "context"
    context.mkdir()
    (context / "Dockerfile").write_text("FROM app:0\nCOPY number /number\n")
    count = 60
    for i in range(count):
        (context / "number").write_text(f"{i}\n")
        docker(csbx, "build", "-q", "-t", f"many:{i}", context)
    base = (table / file_of(csbx, "app:0")).stat()
    files = list(table.glob("*.sqsh*"))
    assert len(files) == 1 + 2 * count and sum(p.stat().st_ino == base.st_ino for p in files) == 1 + count
    assert sum(p.stat().st_blocks * 512 for p in files if p.stat().st_ino != base.st_ino) < count * 16384
    shown = [inside(csbx, f"many:{i}", "cat /number /tree/appended") for i in range(count)]
    assert shown == [f"{i}\none\n" for i in range(count)]
    for i in range(0, count, 10):
        docker(csbx, "run", "-d", "--label", "here", f"many:{i}", "sleep", "60")
    assert len(json.loads(csbx.ok("list", "--servers", "--json"))) == 1
    docker(csbx, "rm", "-f", *docker(csbx, "ps", "-q", "--filter", "label=here").split())


def test_added_by_two_at_once(csbx, table):
    """Two starts each have the image server serve the same file; the second to mount it tells the server first. Neither
    takes away the other's mount."""
    build(csbx, "top:1", "FROM app:0", "RUN echo 1 >/number")
    docker(csbx, "run", "-d", "--name", "held", "app:0", "sleep", "60")
    argv = ["docker", "run", "--rm", "top:1", "cat", "/number"]
    slowly = ["strace", "-f", "-qq", "-o", "trace", "-e", "trace=move_mount", "-e", "inject=move_mount:delay_exit=2s:when=1"]
    with subprocess.Popen([*slowly, *csbx.argv(argv)], env=csbx.env, cwd=csbx.work, **csbx.identity(), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as slow:
        time.sleep(1)
        assert docker(csbx, *argv[1:]) == "1\n"
        assert slow.communicate(timeout=60)[0] == "1\n"
    assert docker(csbx, *argv[1:]) == "1\n"


@pytest.mark.needs_root
def test_where_nothing_can_be_mounted(csbx, table):
    """csbx unpacks the files of a stack one by one, and names that they hide stay hidden."""
    for i, script in enumerate(CHANGES[:2]):
        commit(csbx, f"app:{i}", script, f"app:{i + 1}")
    shown = inside(csbx, "app:2", CONTENT)
    hide = ('mount --make-rprivate / && : >"$0" && chmod 000 "$0" && mount --bind "$0" /dev/fuse && '
            'exec "$@"')
    p = subprocess.run(["unshare", "-m", "sh", "-c", hide, csbx.top / "nofuse", "runuser", "-u", csbx.owner.pw_name, "--",
                        *csbx.argv(["docker", "run", "--rm", "app:2", "sh", "-c", CONTENT])], cwd=csbx.work,
                       env=csbx.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    # An unpacked file has no set-group-ID bit.
    assert p.returncode == 0 and p.stdout == shown.replace("45e8", "41e8"), p.stderr


# --- docker build ---------------------------------------------------------------------------------------------------

def build(csbx, tag, *lines, **kw):
    context = csbx.work / "context"
    context.mkdir(exist_ok=True)
    (context / "Dockerfile").write_text("\n".join(lines) + "\n")
    p = csbx.run("docker", "build", "-q", "-t", tag, context, **kw)
    assert p.returncode == 0, p.stderr
    return p.stdout.strip()


def diff_ids(csbx, image):
    return json.loads(docker(csbx, "image", "inspect", image))[0]["RootFS"]["Layers"]


@pytest.mark.both_users
def test_built_over_a_base(csbx, table):
    """Steps are one small file over the base's, which show what the same commands do in one container."""
    docker(csbx, "run", "--name", "held", "app:0", "sh", "-c", "\n".join(CHANGES))
    docker(csbx, "commit", "held", "whole:1")
    build(csbx, "built:1", "FROM app:0", *(f"RUN {script}" for script in CHANGES))
    assert inside(csbx, "built:1", CONTENT) == inside(csbx, "whole:1", CONTENT)
    base, top = file_of(csbx, "app:0"), file_of(csbx, "built:1")
    assert sorted(p.name for p in table.glob(top + "*")) == [top, top + ".0"]
    assert (table / (top + ".0")).samefile(table / base) and (table / top).stat().st_size < 65536
    assert diff_ids(csbx, "built:1")[:-1] == diff_ids(csbx, "app:0")
    build(csbx, "built:2", "FROM built:1", "RUN echo over >/tree/over", "RUN rm -r /tree/kept")
    assert inside(csbx, "built:2", "cat /tree/over; ls -d /tree/kept; cat /second").split() == ["over", "two"]


def test_built_without_a_change_of_files(csbx, table):
    """Only the configuration is another: the layers are the base's."""
    build(csbx, "open:1", "FROM app:0", "RUN touch /file")
    build(csbx, "open:2", "FROM open:1", "ENV WORD=said", 'CMD ["sh", "-c", "echo $WORD; stat -c %a /; ls /file"]')
    assert docker(csbx, "run", "--rm", "open:2").split() == ["said", "755", "/file"]
    assert diff_ids(csbx, "open:2") == diff_ids(csbx, "open:1")
    assert len(list(table.glob(file_of(csbx, "open:2") + "*"))) == 3


def test_built_as_high_as_a_stack_may_be(csbx, table):
    for i in range(8):
        build(csbx, f"app:{i + 1}", f"FROM app:{i}", f"RUN echo {i} >>/log")
    assert len(list(table.glob(file_of(csbx, "app:7") + "*"))) == 8
    assert len(list(table.glob(file_of(csbx, "app:8") + "*"))) == 1
    assert len(diff_ids(csbx, "app:7")) == 7 + len(diff_ids(csbx, "app:0")) and len(diff_ids(csbx, "app:8")) == 1
    assert inside(csbx, "app:8", "cat /log").split() == [*map(str, range(8))]


SHOWN = "cd /t; find . | sort | while read f; do stat -c '%n %f %u %g' $f; [ -f $f ] && [ ! -L $f ] && " \
        "stat -c '%s %h' $f && cat $f; [ -L $f ] && readlink $f; done; true"


def random_step(draw):
    """Some changes below /t, of which those that cannot be made are not."""
    names = [f"{a}{b}" for a in ("a", "b", "a/c", "a/c/d", "b/e") for b in ("", "1", "2")]
    lines = ["cd /t"]
    for _ in range(draw.randrange(3, 9)):
        one, other = draw.choice(names), draw.choice(names)
        lines.append(draw.choice([
            f"rm -rf {one}", f"mkdir -p {one}", f"mkdir -p $(dirname {one}); echo {draw.random()} >{one}",
            f"rm -rf {one}; mkdir -p {one}; echo {draw.random()} >{one}/new", f"ln {one} {other}", f"ln -s {one} {other}",
            f"mv {one} {other}", f"chmod {draw.choice(['700', '2755', '1777'])} {one}", f"echo more >>{one}",
            f"rm -f {one}; mkfifo {one}.p"]) + " 2>/dev/null")
    return "; ".join(lines) + "; true"


@pytest.mark.parametrize("seed", range(4))
def test_steps_drawn_at_random(csbx, table, seed):
    """The kernel's overlay of the steps' directories, which the last step sees, is the oracle."""
    draw = random.Random(seed)
    steps = [f"RUN {random_step(draw)}" for _ in range(6)]
    build(csbx, "below:1", "FROM app:0", "RUN mkdir /t", *steps[:2])
    build(csbx, "seen:1", "FROM below:1", *steps[2:], f"RUN ({SHOWN}) >/seen")
    seen = inside(csbx, "seen:1", "cat /seen")
    assert inside(csbx, "seen:1", SHOWN) == seen and len(seen) > 4


@pytest.mark.both_users
@pytest.mark.parametrize("script", ["rm /etc/passwd /etc/group", "rm -r /etc", "rm -r /etc; mkdir /etc; echo h >/etc/here"])
def test_users_that_were_removed(csbx, table, script):
    """If the topmost file removes the list of users, there are none, whatever lies below; numbers are users all the
    same."""
    commit(csbx, "app:0", "echo 1 >/one", "app:1")
    commit(csbx, "app:1", script, "app:2")
    p = csbx.run("docker", "run", "--rm", "-u", "app", "app:2", "true")
    assert p.returncode == 125 and "unable to find user app: no matching entries in passwd file" in p.stderr, p.stderr
    p = csbx.run("docker", "run", "--rm", "-u", "0:app", "app:2", "true")
    assert p.returncode == 125 and "unable to find group app: no matching entries in group file" in p.stderr, p.stderr
    assert docker(csbx, "run", "--rm", "-u", "1000", "app:2", "sh", "-c", "echo $(id -u)").strip() == "1000"
    commit(csbx, "app:2", "mkdir -p /etc; echo new:x:1000:1000::/:/bin/sh >/etc/passwd", "app:3")
    assert docker(csbx, "run", "--rm", "-u", "new", "app:3", "sh", "-c", "echo $(id -u)").strip() == "1000"
