# SPDX-License-Identifier: Apache-2.0
"""Containers as a user sees them: create, list, remove, gc, kept layers, configuration, policy."""
import json
import os
import pwd
import signal
import threading

import pytest


def listed(csbx):
    return json.loads(csbx.ok("list", "--json"))


def names(csbx):
    return csbx.ok("list", "-q").split()


def start_sleeper(csbx, *args):
    """A start that runs until its stdin closes; returns once the payload runs."""
    p = csbx.popen("start", *args, "sh", "-c", "echo up; read x", stdin=-1)
    assert p.stdout.readline() == b"up\n", p.stderr.read()
    return p


def end(p):
    p.stdin.close()
    p.wait(timeout=30)
    p.stdout.close()
    p.stderr.close()


# --- create, list, remove -------------------------------------------------------------------------

@pytest.mark.both_users
def test_create_list_remove(csbx, busybox_image):
    image = csbx.work / "my-image.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    assert csbx.ok("create", image) == ""
    csbx.ok("create", "-n", "b", image)
    assert names(csbx) == ["b", "my-image"]
    table = csbx.ok("list").splitlines()
    assert table[0].split() == ["NAME", "IMAGE", "SIZE", "CREATED", "RUNNING"]
    assert table[1].split()[:2] == ["b", str(image)] and table[1].split()[-1] == "0"
    one = listed(csbx)["containers"][0]
    assert one["name"] == "b" and one["size_bytes"] == image.stat().st_size
    assert one["pinned_by"] == "link" and one["kind"] == "squashfs" and not one["damaged"]
    csbx.ok("remove", "-f", "b", "my-image")
    assert names(csbx) == []
    assert image.stat().st_nlink == 1


def test_a_pinned_image_may_be_deleted_and_replaced(csbx, busybox_image):
    image = csbx.work / "i.sqsh"
    image.write_bytes(busybox_image.read_bytes())
    csbx.ok("create", "-n", "c", image)
    image.unlink()
    assert csbx.ok("start", "c", "echo", "still here") == "still here\n"
    image.write_bytes(b"another file")
    assert csbx.ok("start", "c", "echo", "still here") == "still here\n"
    csbx.ok("remove", "-f", "c")


def test_an_image_that_is_not_ours_is_used_in_place(csbx):
    """csbx says that it cannot pin the image, and notices when it changes."""
    other = csbx.dirs["home"] / "rootfs"
    (other / "bin").mkdir(parents=True)
    csbx.ok("create", "-n", "d", other)
    assert listed(csbx)["containers"][0]["pinned_by"] == "path"
    other.rename(csbx.dirs["home"] / "moved")
    csbx.fails("start", "d", "true", says=["rootfs", "gone"])
    other.mkdir()
    csbx.fails("start", "d", "true", says=["changed after create"])
    csbx.ok("remove", "-f", "d")


@pytest.mark.parametrize("content, says", [
    (b"", "not a squashfs"), (b"hello\n", "not a squashfs"),
    (b"\x1f\x8b" + bytes(200), "csbx import first"), (b"hsqs" + bytes(40), "cut short"),
    (b"hsqs" + bytes(200), "squashfs version 0"),
])
def test_what_is_no_image_is_refused(csbx, content, says):
    bad = csbx.work / "bad.sqsh"
    bad.write_bytes(content)
    csbx.fails("create", "-n", "x", bad, says=["create x", "bad.sqsh", says])
    assert names(csbx) == []


def test_a_truncated_image_is_refused(csbx, busybox_image):
    bad = csbx.work / "bad.sqsh"
    bad.write_bytes(busybox_image.read_bytes()[:-8192])
    csbx.fails("create", bad, says="cut short")


def test_an_oci_layout_is_refused_with_the_way_out(csbx, busybox_layout):
    csbx.fails("create", "-n", "x", busybox_layout, says="csbx import oci:")


def test_remove_asks_on_a_terminal_only(csbx, busybox_image):
    csbx.ok("create", "-n", "c", busybox_image)
    csbx.fails("remove", "c", says="-f")
    csbx.fails("remove", "nothing", says="no such container")
    for answer, stays in (b"n\n", True), (b"\n", True), (b"y\n", False):
        master, slave = os.openpty()
        os.write(master, answer)
        child = csbx.popen("remove", "c", stdin=slave)
        _, err = child.communicate(timeout=30)
        os.close(slave)
        os.close(master)
        assert child.returncode == 0
        assert err.decode() == (f"Do you really want to delete {csbx.dirs['data']}/containers/c? "
                                "[y/N] ")
        assert (names(csbx) == ["c"]) == stays
    csbx.ok("remove", "-f", "c")


def test_a_running_container_is_not_removed(csbx, busybox_image):
    csbx.ok("create", "-n", "c", busybox_image)
    p = start_sleeper(csbx, "c")
    q = start_sleeper(csbx, "c")
    try:
        running = listed(csbx)
        assert running["containers"][0]["running"] == 2
        assert {i["supervisor_pid"] for i in running["instances"]} == {p.pid, q.pid}
        rows = csbx.ok("list", "-f").splitlines()[1:]
        assert len(rows) == 2 and rows[0].startswith("c ") and rows[1].startswith("  ")
        csbx.fails("remove", "-f", "c", says="in use by pid")
        csbx.fails("create", "-f", "-n", "c", busybox_image, says="in use by pid")
    finally:
        end(p)
        end(q)
    assert listed(csbx)["instances"] == []
    csbx.ok("remove", "-f", "c")


def test_many_at_once_on_one_name(csbx, busybox_image):
    """C5: of 32 creators one wins, of 32 removers one does."""
    def run_all(*args):
        codes = []
        threads = [threading.Thread(target=lambda: codes.append(csbx.run(*args).returncode))
                   for _ in range(32)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return codes

    codes = run_all("create", "-n", "c", busybox_image)
    assert sorted(codes) == [0] + [125] * 31
    # -f takes a missing one for removed: all succeed, and it is gone.
    assert run_all("remove", "-f", "c") == [0] * 32
    assert names(csbx) == []
    assert set(run_all("create", "-f", "-n", "c", busybox_image)) <= {0, 125}
    assert names(csbx) == ["c"]
    assert csbx.ok("start", "c", "echo", "whole") == "whole\n"
    csbx.ok("remove", "-f", "c")


# --- kept layers ----------------------------------------------------------------------------------

@pytest.mark.both_users
def test_a_kept_layer(csbx, busybox_image):
    csbx.ok("create", "-n", "c", busybox_image)
    csbx.ok("start", "-w", "c", "sh", "-c", "echo kept >/file; rm -r /bin/vi 2>/dev/null; mkdir /d")
    assert csbx.ok("start", "-w", "c", "cat", "/file") == "kept\n"
    assert csbx.ok("start", "c", "sh", "-c", "cat /file; echo x >/file; cat /file") == "kept\nx\n", "a throw-away start has its own above it"
    assert csbx.ok("start", "-w", "c", "cat", "/file") == "kept\n"
    p = start_sleeper(csbx, "-w", "c")
    csbx.fails("start", "-w", "c", "true", says=f"in use by pid {p.pid}")
    csbx.fails("start", "c", "true", says=f"in use by pid {p.pid}")
    end(p)
    p = start_sleeper(csbx, "c")
    assert csbx.ok("start", "c", "echo", "side by side") == "side by side\n"
    end(p)
    csbx.ok("create", "-f", "-n", "c", busybox_image)
    assert csbx.run("start", "-w", "c", "cat", "/file").returncode != 0, "replaced, layer and all"
    csbx.ok("remove", "-f", "c")
    assert not (csbx.dirs["data"] / "layers/c").exists()


def test_a_layer_after_a_kill_and_after_a_crash(csbx, busybox_image):
    csbx.ok("create", "-n", "c", busybox_image)
    p = csbx.popen("start", "-w", "c", "sh", "-c", "echo one >/file; echo up; read x", stdin=-1)
    assert p.stdout.readline() == b"up\n"
    p.send_signal(signal.SIGKILL)
    end(p)
    assert csbx.ok("start", "-w", "c", "cat", "/file") == "one\n"
    # Another boot's mark is what a crash of the machine leaves.
    mark = csbx.dirs["data"] / "layers/c/dirty"
    assert not mark.is_symlink()
    mark.symlink_to("00000000-0000-0000-0000-000000000000")
    csbx.fails("start", "-w", "c", "true",
               says=["layer may be incomplete after a crash", "--force"])
    assert csbx.ok("start", "-w", "--force", "c", "cat", "/file") == "one\n"
    assert csbx.ok("start", "-w", "c", "cat", "/file") == "one\n"
    csbx.ok("gc")
    csbx.ok("remove", "-f", "c")


@pytest.mark.feature("subuid")
def test_files_of_other_ids_are_removed(csbx, busybox_image):
    csbx.ok("create", "-n", "c", busybox_image)
    csbx.ok("start", "-w", "c", "sh", "-c",
            "mkdir -p /d/e; touch /d/e/f; chown -R 33:33 /d; chmod 700 /d /d/e")
    csbx.ok("remove", "-f", "c")
    assert os.listdir(csbx.dirs["data"] / "layers") in ([], [".lock"])


# --- gc -------------------------------------------------------------------------------------------

def test_gc_clears_what_a_kill_left(csbx, busybox_image):
    csbx.ok("create", "-n", "c", busybox_image)
    live = start_sleeper(csbx, "c")
    dead = start_sleeper(csbx, "c")
    dead.send_signal(signal.SIGKILL)
    end(dead)
    debris = csbx.dirs["data"] / "containers/.tmp-0000000000000000"
    csbx.run("list")
    os.mkdir(debris)
    if csbx.user:
        os.chown(debris, csbx.owner.pw_uid, csbx.owner.pw_gid)
    assert "csbx gc" in csbx.run("list").stderr
    found = json.loads(csbx.ok("gc", "--dry-run", "--json"))
    assert [x["kind"] for x in found] == ["temporary"], "the list has taken the dead start away"
    assert not any(x["removed"] for x in found) and debris.exists()
    said = csbx.ok("gc").splitlines()
    assert len(said) == 1 and all(x.startswith("removed ") for x in said)
    assert csbx.ok("gc") == "" and not debris.exists()
    assert listed(csbx)["containers"][0]["running"] == 1, "the live one stays"
    end(live)
    csbx.ok("remove", "-f", "c")


def test_a_damaged_record_does_not_stand_in_the_way(csbx, busybox_image):
    for name in ("a", "b"):
        csbx.ok("create", "-n", name, busybox_image)
        with open(csbx.dirs["data"] / f"containers/{name}/record", "r+b") as f:
            f.truncate(100)
    csbx.fails("start", "a", "true", says="damaged record")
    assert "damaged" in csbx.ok("list")
    assert listed(csbx)["containers"][1]["damaged"]
    csbx.ok("create", "-f", "-n", "a", busybox_image)
    assert csbx.ok("start", "a", "echo", "new") == "new\n"
    csbx.ok("remove", "-f", "a", "b")


def test_a_name_without_a_record(csbx, busybox_image):
    """A directory, a file or a link where a container should be: listed, said, removed and replaced."""
    top = csbx.dirs["data"] / "containers"
    csbx.ok("list")

    def make():
        top.mkdir(mode=0o700, exist_ok=True)
        (top / "dir/x").mkdir(parents=True)
        (top / "file").touch()
        (top / "link").symlink_to("/nowhere")
        return ("dir", "file", "link")
    for name in make():
        for args in (["start", name, "true"], ["inspect", name], ["rename", name, "a"], ["export", name], ["docker", "start", name]):
            p = csbx.run(*args)
            assert p.returncode and "damaged record: there is none (create -f makes the container new, remove deletes it)" in p.stderr, p
        p = csbx.run("remove", name)
        assert p.returncode == 125 and "use -f" in p.stderr, "there is something to ask about"
    assert csbx.ok("list").count("damaged") == 3
    csbx.ok("remove", "-f", "dir", "file", "link")
    assert not [name for name in os.listdir(top) if name[0] != "."]
    for name in make():
        csbx.ok("create", "-f", "-n", name, busybox_image)
        csbx.ok("start", name, "true")
    csbx.ok("remove", "-f", "dir", "file", "link")
    csbx.ok("docker", "rm", *make())
    assert not [name for name in os.listdir(top) if name[0] != "."]


@pytest.mark.parametrize("version,what", [(1, "an older"), (99, "a newer")])
def test_a_record_of_another_version(csbx, busybox_image, version, what):
    csbx.ok("create", "-n", "a", busybox_image)
    with open(csbx.dirs["data"] / "containers/a/record", "r+b") as f:
        f.seek(4)
        f.write(version.to_bytes(4, "little"))
    for verb in (["start", "a", "true"], ["start", "-w", "a", "true"], ["export", "a"],
                 ["inspect", "a"]):
        csbx.fails(*verb, says=f"a record of {what} csbx")
    assert "create -f" in csbx.run("start", "a", "true").stderr
    assert "damaged" in csbx.ok("list") and csbx.ok("gc") == ""
    csbx.ok("create", "-f", "-n", "a", busybox_image)
    assert csbx.ok("start", "a", "echo", "new") == "new\n"
    cached = list((csbx.dirs["cache"] / "meta").iterdir())
    for path in cached:
        data = bytearray(path.read_bytes())
        data[4:8] = version.to_bytes(4, "little")
        path.write_bytes(data)
    assert csbx.ok("start", busybox_image, "echo", "read again") == "read again\n"
    csbx.ok("remove", "-f", "a")


# --- info, version --------------------------------------------------------------------------------

def test_info_and_version(csbx):
    assert csbx.ok("version").count(".") == 2
    info = json.loads(csbx.ok("info", "--json", env={"CSBX_NETWORK": "none", "CSBX_ENV": "A=1\nB=2"}))
    assert info["data"] == str(csbx.dirs["data"]) and info["version"] == csbx.ok("version").strip()
    settings = [(s["key"], s["value"]) for s in info["settings"]]
    assert ("CSBX_NETWORK", "none") in settings
    assert ("CSBX_ENV", "A=1") in settings and ("CSBX_ENV", "B=2") in settings
    assert str(csbx.dirs["cache"]) in csbx.ok("info")


# --- throw-away layers on disk --------------------------------------------------------------------

@pytest.mark.both_users
def test_a_throw_away_layer_on_disk(csbx, busybox_image):
    """The layer lies on disk if tmpfs cannot hold an upper; csbx leaves itself the mark when it has found that."""
    csbx.ok("create", "-n", "c", busybox_image)
    csbx.ok("start", "c", "true")
    mark = csbx.dirs["run"] / "no-tmpfs-upper"
    mark.touch()
    root = csbx.dirs["scratch"] / f"csbx-scratch-{csbx.owner.pw_uid}"
    p = start_sleeper(csbx, "c")
    instance = listed(csbx)["instances"][0]["id"]
    assert (root / instance / "upper").is_dir()
    assert csbx.ok("gc") == "", "it is in use"
    end(p)
    assert not (root / instance).exists(), "renamed away before csbx returns"
    p = start_sleeper(csbx, "c")
    p.send_signal(signal.SIGKILL)
    end(p)
    kinds = [x["kind"] for x in json.loads(csbx.ok("gc", "--json"))]
    assert sorted(kinds) == ["instance", "scratch"]
    mark.unlink()
    csbx.ok("remove", "-f", "c")


# --- the place ------------------------------------------------------------------------------------

@pytest.mark.parametrize("mask", [0, 0o77, 0o777])
def test_directories_are_private_whatever_the_umask(csbx, busybox_image, mask):
    """C9."""
    csbx.ok("create", "-n", "c", busybox_image, umask=mask)
    csbx.ok("start", "-w", "c", "true", umask=mask)
    for name in ("data/containers", "data/containers/c", "data/layers", "data/layers/c",
                 "cache/meta", "run/instances"):
        assert (csbx.top / name).stat().st_mode & 0o777 == 0o700, name
    assert (csbx.top / "data/containers/c/record").stat().st_mode & 0o777 == 0o600
    csbx.ok("remove", "-f", "c", umask=mask)


def test_a_store_open_to_others_is_refused(csbx, busybox_image):
    """C21."""
    csbx.dirs["data"].chmod(0o777)
    csbx.fails("create", "-n", "c", busybox_image, says=["open to other users", "0777"])
    csbx.dirs["data"].chmod(0o700)
    containers = csbx.dirs["data"] / "containers"
    containers.symlink_to(csbx.work)
    csbx.fails("create", "-n", "c", busybox_image, says="containers")
    assert os.listdir(csbx.work) == []
    containers.unlink()


@pytest.mark.needs_root
@pytest.mark.parametrize("where", ["CSBX_RUNTIME_PATH", "CSBX_DATA_PATH", "CSBX_CACHE_PATH", "CSBX_LAYER_PATH",
                                   "CSBX_SCRATCH_PATH"])
@pytest.mark.parametrize("deep", [False, True], ids=["last", "on the way"])
def test_a_link_of_another_user_leads_nowhere(csbx, busybox_image, where, deep):
    """csbx refuses everywhere the links that the kernel refuses in /tmp where fs.protected_symlinks is 1."""
    owner, other = csbx.owner, pwd.getpwnam("csbx-test2")
    place, aim = csbx.work / "shared", csbx.work / "aim"
    place.mkdir()
    place.chmod(0o777)
    aim.mkdir()
    (aim / "sub").mkdir()
    for d in (aim, aim / "sub"):
        os.chown(d, owner.pw_uid, owner.pw_gid)
        d.chmod(0o755)
    name = f"csbx-scratch-{owner.pw_uid}" if where == "CSBX_SCRATCH_PATH" else "link"
    if where == "CSBX_SCRATCH_PATH" and deep:
        pytest.skip("the directory for all is the caller's word")
    (place / name).symlink_to(aim)
    os.lchown(place / name, other.pw_uid, other.pw_gid)
    env = {where: str(place if where == "CSBX_SCRATCH_PATH" else place / name / "sub" if deep else place / name)}
    p = csbx.run("create", "-n", "c", busybox_image, env=env)
    if p.returncode == 0:
        p = csbx.run("start", "-w", "c", "true", env=env)
        (csbx.dirs["run"] / "no-tmpfs-upper").touch()  # so throw-away layers are on disk
        q = csbx.run("start", "c", "true", env=env)
        csbx.run("remove", "-f", "c", env=env)
        p = p if p.returncode else q
    assert (aim.stat().st_mode & 0o777, (aim / "sub").stat().st_mode & 0o777) == (0o755, 0o755)
    assert os.listdir(aim) == ["sub"] and os.listdir(aim / "sub") == []
    if where == "CSBX_CACHE_PATH":  # which a start can do without
        assert p.returncode == 0, p
    else:
        assert p.returncode == 125 and f"symbolic link of user {other.pw_uid}" in p.stderr, p


@pytest.mark.needs_root
def test_a_context_of_docker_is_not_written_by_a_link_of_another_user(csbx):
    place, other, aim = csbx.work / "open", pwd.getpwnam("csbx-test2"), csbx.work / "aim"
    for made, mode in ((place, 0o1777), (aim, 0o755)):
        made.mkdir()
        made.chmod(mode)
        os.chown(made, csbx.owner.pw_uid, csbx.owner.pw_gid)
    link = place / "x"
    link.symlink_to(aim)
    os.lchown(link, other.pw_uid, other.pw_gid)
    for name in ("x", "x/y"):
        csbx.fails("engine", "--context", says=f"symbolic link of user {other.pw_uid}", env={"DOCKER_CONFIG": str(place / name)})
    assert os.listdir(aim) == []
    csbx.ok("engine", "--context", env={"DOCKER_CONFIG": str(place / "own")})
    csbx.ok("engine", "--stop")
    assert os.listdir(place / "own") == ["contexts"]


@pytest.mark.needs_root
def test_gc_does_not_follow_a_link_of_another_user(csbx, busybox_image):
    csbx.ok("run", "-d", "--name", "kept", busybox_image, "true")
    csbx.ok("wait", "kept")
    place, other = csbx.work / "shared", pwd.getpwnam("csbx-test2")
    runs = csbx.dirs["data"] / "runs"
    before = os.listdir(runs)
    place.mkdir()
    place.chmod(0o777)
    link = place / f"csbx-scratch-{csbx.owner.pw_uid}"
    link.symlink_to(runs)
    os.lchown(link, other.pw_uid, other.pw_gid)
    p = csbx.run("gc", env={"CSBX_SCRATCH_PATH": str(place)})
    assert before and os.listdir(runs) == before, p
    assert p.returncode == 125 and f"symbolic link of user {other.pw_uid}" in p.stderr, p
    link.unlink()


def test_a_directory_of_the_user_keeps_its_mode(csbx, busybox_image):
    """csbx does not close a directory that it did not make; it does close those that it makes in there."""
    csbx.dirs["data"].chmod(0o755)
    csbx.ok("create", "-n", "c", busybox_image)
    assert csbx.dirs["data"].stat().st_mode & 0o777 == 0o755
    containers = csbx.dirs["data"] / "containers"
    assert containers.stat().st_mode & 0o777 == 0o700
    containers.chmod(0o755)
    csbx.fails("list", says=[f"{containers}", "chmod 700"])
    containers.chmod(0o700)
    csbx.ok("remove", "-f", "c")


def test_a_place_that_cannot_be_made(csbx, busybox_image):
    """C9: the message names the directory and the reason."""
    home = csbx.dirs["home"] / "closed"
    home.mkdir()
    home.chmod(0o500)
    env = {"HOME": str(home), "CSBX_DATA_PATH": "", "XDG_DATA_HOME": ""}
    csbx.fails("create", "-n", "c", busybox_image, env=env,
               says=[f"{home}/.local", "Permission denied"])
    env["HOME"] = ""
    csbx.fails("create", "-n", "c", busybox_image, env=env, says="HOME")


def test_image_servers_are_listed_and_ended(csbx, busybox_image):
    env = {"CSBX_LINGER": "60"}
    csbx.ok("create", "-n", "c", busybox_image)
    csbx.ok("start", "c", "true", env=env)
    server = json.loads(csbx.ok("list", "--servers", "--json"))
    assert len(server) == 1 and server[0]["containers"] == 0
    assert server[0]["image"] == str(busybox_image) and server[0]["uid"] == 0
    assert str(busybox_image) in csbx.ok("list", "--servers")
    assert csbx.ok("gc") == "", "a server inside its linger is no debris"
    p = start_sleeper(csbx, "c")
    assert csbx.ok("gc", "--servers") == "", "nor is one in use"
    assert json.loads(csbx.ok("list", "--servers", "--json"))[0]["containers"] == 1
    end(p)
    csbx.ok("start", "c", "true", env=env)
    assert csbx.ok("gc", "--servers").startswith("removed server ")
    csbx.ok("remove", "-f", "c")
