# SPDX-License-Identifier: Apache-2.0
"""What a container has kept is part of it wherever its name is used; the files that csbx makes are not."""
import json

import pytest

pytestmark = pytest.mark.both_users
OWN = ["etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/passwd", "etc/group"]


@pytest.fixture
def box(csbx, busybox_image):
    csbx.ok("create", "-n", "box", busybox_image)
    yield csbx
    csbx.ok("remove", "-f", "box")


@pytest.fixture
def kept(box):
    """box: a container with a file in its layer."""
    box.ok("start", "--rw", "box", "sh", "-c", "echo installed >/kept")
    return box


def upper(box, name="box"):
    return box.dirs["data"] / "layers" / name / "upper"


def test_every_use_of_the_name_sees_the_layer(kept):
    assert kept.ok("start", "box", "cat", "/kept") == "installed\n"
    assert kept.ok("start", "--read-only", "box", "cat", "/kept") == "installed\n"
    assert kept.ok("run", "box", "cat", "/kept") == "installed\n"
    assert kept.ok("cp", "box:/kept", "-")
    kept.ok("start", "box", "sh", "-c", "echo gone >/kept; echo x >/new")
    assert kept.ok("start", "box", "sh", "-c", "cat /kept; ls /new 2>/dev/null || echo thrown away") == \
        "installed\nthrown away\n"
    kept.ok("export", "-q", "box")
    assert kept.ok("run", "./box.sqsh", "cat", "/kept") == "installed\n"
    plan = kept.ok("start", "--plan", "box", "true")
    assert str(upper(kept)) in plan


def test_a_copy_into_a_container_is_seen(box):
    (box.work / "file").write_text("copied in\n")
    box.ok("cp", box.work / "file", "box:/file")
    assert box.ok("start", "box", "cat", "/file") == box.ok("run", "box", "cat", "/file") == "copied in\n"


def test_judged_code_sees_the_layer(csbx, python_image):
    csbx.ok("create", "-n", "py", python_image)
    csbx.ok("start", "--rw", "py", "python3", "-c",
            "import sys; open(sys.path[-1] + '/newmodule.py', 'w').write('x = 42')")
    p = csbx.run("eval", "--image", "py", "--json", "-", stdin="import newmodule; print(newmodule.x)")
    assert json.loads(p.stdout)["stdout"] == "42\n", p.stdout + p.stderr
    lines = "".join(json.dumps({"id": i, "code": "import newmodule; print(newmodule.x)"}) + "\n" for i in range(6))
    p = csbx.run("eval", "--image", "py", "--batch", "-", stdin=lines)
    assert [json.loads(x)["stdout"] for x in p.stdout.splitlines()] == ["42\n"] * 6, p.stderr
    csbx.ok("remove", "-f", "py")


def test_users_of_the_layer(kept):
    """An entry that a start with --rw made is found by name in all others."""
    kept.ok("start", "--rw", "box", "sh", "-c", "echo ada:x:0:0::/root:/bin/sh >>/etc/passwd")
    assert kept.ok("start", "--user", "ada", "box", "cat", "/kept") == "installed\n"


def test_one_writes_or_many_read(kept):
    kept.ok("start", "--rw", "-d", "box", "sleep", "1000")
    assert "csbx exec" in kept.fails("start", "box", "true", says="layer box: in use by pid")
    kept.ok("stop", "box")
    kept.run("wait", "box")
    first = kept.ok("start", "-d", "box", "sleep", "1000").strip()
    assert kept.ok("start", "box", "cat", "/kept") == "installed\n"
    kept.fails("start", "--rw", "box", "true", says="in use by a start that reads it")
    kept.ok("kill", first)
    kept.run("wait", first)


def test_files_of_csbx_are_in_no_layer(box):
    """Another start has another network, name and user: none of it stays."""
    box.ok("start", "--rw", "--user", "1000", "box", "sh", "-c", "grep -q :1000: /etc/passwd && cat /etc/resolv.conf")
    assert not [p for p in OWN if (upper(box) / p).exists()]
    with open("/etc/resolv.conf", encoding="utf-8") as f:
        host = f.read()
    assert box.ok("start", "--rw", "--network", "host", "box", "cat", "/etc/resolv.conf") == host
    assert box.ok("start", "--rw", "--hostname", "other", "box", "cat", "/etc/hostname") == "other\n"
    assert "no name server" in box.ok("start", "--rw", "box", "cat", "/etc/resolv.conf")
    assert not [p for p in OWN if (upper(box) / p).exists()]


def test_files_that_the_container_made_stay(box):
    """They win over csbx's, with --rw and without; so does the absence of one."""
    box.ok("start", "--rw", "box", "sh", "-c", "echo 127.0.0.9 own >>/etc/hosts; echo nameserver ::1 >/etc/resolv.conf; "
           "rm /etc/hostname")
    for words in (["--rw"], [], ["--read-only"]):
        said = box.ok("start", *words, "box", "sh", "-c", "tail -n 1 /etc/hosts; cat /etc/resolv.conf; ls /etc/hostname 2>/dev/null; :")
        assert said == "127.0.0.9 own\nnameserver ::1\n", words


def test_a_container_that_stays_has_none_either(box, busybox_image):
    box.ok("create", "--keep", "-n", "stays", busybox_image, "sh", "-c", "echo x >/x; cat /etc/hostname")
    assert box.ok("start", "stays").strip()
    layer = next(d for d in (box.dirs["data"] / "layers").iterdir() if (d / "upper/x").exists())
    assert not [p for p in OWN if (layer / "upper" / p).exists()]
    box.ok("rename", "stays", "stayed")
    assert box.ok("run", "stayed", "cat", "/x") == "x\n", "its layer has an id for a name"
    spec = {"version": 1, "name": "stayed", "rootfs": {"kind": "squashfs", "path": str(busybox_image), "upper": "throwaway", "reads_layer": True},
            "process": {"argv": ["cat", "/x"]}}
    assert box.ok("run", "--spec", "-", stdin=json.dumps(spec)) == "x\n"
    box.ok("remove", "-f", "stayed")


def test_what_stays_takes_no_layer_over(kept):
    kept.fails("run", "--keep", "--name", "new", "box", "true", says="csbx export box")
    assert "new" not in kept.ok("list")
