# SPDX-License-Identifier: Apache-2.0
"""A symbolic link that `cp` brought out of a container leads nowhere: no path that csbx is given, by its command line, the
environment or a settings file, goes by it."""
import os
import signal
import subprocess

import pytest

pytestmark = [pytest.mark.both_users, pytest.mark.feature("userns")]

SAID = "is a symbolic link that was copied out of a container, and is not followed"
STEP = "FROM scratch\nCOPY file /file\nRUN --mount=type=secret,id=x cat /run/secrets/x\n"

WORDS = [
    "build sub/ctx",
    "build -f sub/ctx/Dockerfile ctx",
    "build --secret id=x,src=sub/file -f step ctx",
    "docker load -i sub/root.tar",
    "docker import sub/root.tar some:1",
    "import -o new.sqsh sub/root.tar",
    "import -o new.sqsh tar:sub/root.tar",
    "import -o new.sqsh dir:sub/ctx",
    "load -n new sub/root.tar",
    "digest sub/root.tar",
    "run sub/image.sqsh true",
    "run image.sqsh true",
    "start sub/image.sqsh true",
    "start ./sub/root true",
    "docker run --rm sub/image.sqsh true",
    "docker create sub/image.sqsh true",
    "create -n one sub/image.sqsh",
    "create --keep -n two sub/image.sqsh true",
    "eval --image sub/image.sqsh ctx/file",
    "test --image sub/image.sqsh --repo-in-image /x",
    "test --image IMAGE --clone PLACE/sub/ctx --commit " + 40 * "1",
    "test --image IMAGE --clone file://PLACE/sub --commit " + 40 * "1",
    "run --spec sub/file",
    "start --conf sub/file IMAGE true",
    "start --rc sub/file IMAGE true",
    "enroot create -n three sub/image.sqsh",
    "enroot start sub/image.sqsh true",
    "enroot bundle -o new.run sub/image.sqsh",
    "enroot start --conf sub/file IMAGE true",
    "enroot start --rc sub/file IMAGE true",
    "logout --authfile sub/auth.json 127.0.0.1:1",
]
SETTINGS = [
    ("CSBX_IMAGE_PATH", "sub", "run image true"),
    ("ENROOT_SYSCONF_PATH", "sub/enroot", "enroot start IMAGE true"),
    ("ENROOT_SYSCONF_PATH", ".", "enroot start IMAGE true"),
    ("ENROOT_CONFIG_PATH", "sub/enroot", "enroot start IMAGE true"),
    ("XDG_CONFIG_HOME", "sub", "run IMAGE true"),
    ("HOME", "sub", "run IMAGE true"),
    ("CSBX_CACHE_PATH", "sub/new", "import -o new.sqsh docker://localhost:1/x"),
    ("CSBX_RUNTIME_PATH", "sub/new", "run IMAGE true"),
    ("CSBX_DATA_PATH", "sub/new", "create -n new IMAGE"),
]


@pytest.fixture
def place(csbx, busybox_image):
    """The caller's files, and beside them what was copied: `sub`, which leads to them, and links to single ones."""
    mine = csbx.work / "mine"
    for name in ("ctx", "enroot/environ.d", "root/bin"):
        (mine / name).mkdir(parents=True)
    os.symlink(busybox_image, mine / "image.sqsh")  # the caller's own link
    (mine / "ctx/Dockerfile").write_text("FROM scratch\nCOPY file /file\n")
    for name in ("file", "ctx/file", "auth.json", "enroot/enroot.conf", "enroot/environ.d/x.env"):
        (mine / name).write_text("")
    subprocess.run(["tar", "-C", mine / "ctx", "-cf", mine / "root.tar", "."], check=True)
    csbx.ok("create", "-n", "box", busybox_image)
    csbx.ok("start", "-w", "box", "sh", "-c", f"mkdir /res; ln -s {mine} /res/sub; ln -s {mine}/image.sqsh /res; ln -s {mine}/enroot/enroot.conf /res")
    csbx.ok("cp", "box:/res", "out")
    out = csbx.work / "out"
    assert os.readlink(out / "sub") == str(mine) and os.path.samefile(out / "image.sqsh", busybox_image)
    subprocess.run(["cp", "-r", mine / "ctx", out / "ctx"], check=True)
    (out / "step").write_text(STEP)
    return out


def test_no_path_goes_by_one(csbx, busybox_image, place):
    taken = []
    for line in WORDS:
        p = csbx.run(*line.replace("IMAGE", str(busybox_image)).replace("PLACE", str(place)).split(), cwd=place)
        if not p.returncode or SAID not in p.stderr:
            taken.append((line, p.returncode, p.stdout[-300:], p.stderr[-300:]))
    assert not taken, "\n".join(map(str, taken))
    assert not [n for n in os.listdir(place) if n.startswith("new")]
    assert csbx.ok("docker", "images", "-q") == ""


def test_no_setting_goes_by_one(csbx, busybox_image, place):
    for name, value, line in SETTINGS:
        p = csbx.run(*line.replace("IMAGE", str(busybox_image)).split(), cwd=place, env={name: f"{place}/{value}"})
        assert p.returncode and SAID in p.stderr, (name, value, p)


def test_links_of_the_caller(csbx, busybox_image, place):
    (place / "own").symlink_to("../mine")
    for line in ("build own/ctx", "build -f own/ctx/Dockerfile own/ctx", "docker import own/root.tar some:1", "import -o new.sqsh tar:own/root.tar",
                 "run own/image.sqsh true", "create -n one own/image.sqsh", "enroot create -n two own/image.sqsh",
                 "enroot start --conf own/file --rc own/file IMAGE true", "start --conf own/file IMAGE true"):
        csbx.ok(*line.replace("IMAGE", str(busybox_image)).split(), cwd=place)


def test_files_without_a_name(csbx, busybox_image, place):
    """Standard input by its name in /dev, what the shell makes of <(...), and a descriptor that was passed on."""
    root = (place.parent / "mine/root.tar").read_bytes()
    for line in ("docker import /dev/stdin some:1", "import -o new.sqsh tar:/dev/stdin", "start --conf /dev/fd/0 IMAGE true",
                 "enroot start --rc /proc/self/fd/0 IMAGE true"):
        data = root if "import" in line else b""
        argv = csbx.argv(line.replace("IMAGE", str(busybox_image)).split())
        p = subprocess.run(argv, input=data, env=csbx.env, cwd=place, timeout=60, check=False, capture_output=True, **csbx.identity())
        assert p.returncode == 0, (line, p)
    with open(busybox_image, "rb") as f:
        assert csbx.ok("run", f"/proc/self/fd/{f.fileno()}", "echo", "ran", pass_fds=[f.fileno()]) == "ran\n"


def mark_is_missing(path):
    return os.lstat(path).st_mtime_ns % 10**9 != 206158433 and not path.name.startswith(".csbx-link-")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_no_path_goes_by_one_of_a_copy_that_was_ended(csbx, python_image, sent):
    """Each round ends a copy of 4,000 links at another of them. A signal that is not SIGKILL leaves no link of another name."""
    mine = csbx.work / "mine"
    mine.mkdir()
    (mine / "file").write_text("secret\n")
    make = f"import os; os.mkdir('/res'); [os.symlink('{mine}', '/res/l%d' % i) for i in range(4000)]"
    csbx.ok("create", "-n", "box", python_image)
    csbx.ok("start", "-w", "box", "python3", "-c", make)
    followed, others = [], 0
    for i in range(8):
        out = csbx.work / f"out{i}"
        p = csbx.popen("cp", "box:/res", out, stderr=subprocess.DEVNULL)
        while not (out.exists() and len(os.listdir(out)) > 10 + 200 * i) and p.poll() is None:
            pass
        p.send_signal(sent)
        assert p.wait() == -sent, "it was over before"
        p.stdout.close()
        links = sorted(out.iterdir(), key=lambda each: each.name.startswith("l"))
        others += sum(not each.name.startswith("l") for each in links)
        followed += [(i, each.name) for each in links if mark_is_missing(each)]
        for each in links[:1]:
            q = csbx.run("run", "--volume", f"{each}:/x", python_image, "cat", "/x/file")
            assert q.returncode and SAID in q.stderr, (each, q)
    assert not followed
    assert not others or sent == signal.SIGKILL


def test_no_program_marks_a_link_on_the_way_to_the_settings(csbx, python_image):
    """As copied out, or as another user's: every command would fail, without the mount too."""
    home = csbx.dirs["home"]
    for name in ("config", "local"):
        (home / "dots" / name).mkdir(parents=True)
        (home / f".{name}").symlink_to(f"dots/{name}")
    if csbx.user:
        subprocess.run(["chown", "-hR", str(csbx.owner.pw_uid), home], check=True)
    script = ("import os\nfor name in '/m/.config', '/m/.local':\n    for do in (lambda: os.utime(name, ns=(0, 1700000000206158433), "
              "follow_symlinks=False), lambda: os.lchown(name, 1, 1)):\n        try:\n            do()\n            print('did it')\n"
              "        except OSError as e:\n            print(e.strerror)")
    csbx.ok("run", python_image, "true")
    out = csbx.ok("run", "--mount", f"{home}:/m", python_image, "python3", "-ISc", script)
    assert out == 4 * "Read-only file system\n"
    for line in ("ps", "gc", "list", "doctor --feature userns"):
        csbx.ok(*line.split())
