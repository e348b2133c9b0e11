# SPDX-License-Identifier: Apache-2.0
"""Surroundings in which a start cannot work: the message names the cause and what helps."""
import os
import resource
import socket
import subprocess
import threading

import pytest

MOUNTED = r"""
set -e; top=$0; mount --make-rprivate /; mount --bind / "$top"
mount --rbind /dev "$top/dev"; mount --rbind /proc "$top/proc"; mount --rbind /tmp "$top/tmp"
exec chroot "$top" runuser -u "$@"
"""
PLAIN = r"""
set -e; top=$0; mount --make-rprivate /; mkdir "$top/tmp" "$top/usr" "$top/dev" "$top/proc" "$top/etc"
for d in tmp usr dev proc etc; do mount --rbind "/$d" "$top/$d"; done
for d in bin lib lib64; do ln -s "usr/$d" "$top/$d"; done
exec chroot "$top" runuser -u "$@"
"""


@pytest.mark.needs_root
@pytest.mark.parametrize("how,says", [(MOUNTED, "as they are in a chroot"),
                                      (PLAIN, "this session runs in a chroot")])
def test_chroot(csbx, busybox_image, how, says):
    top = csbx.top / "jail"
    top.mkdir()
    for args in (["start", busybox_image, "true"], ["doctor", "--feature", "userns"]):
        p = subprocess.run(["unshare", "-m", "sh", "-c", how, top, csbx.owner.pw_name, "--",
                            *csbx.argv(args)], env=csbx.env, stdin=subprocess.DEVNULL, text=True,
                           capture_output=True, timeout=60, check=False)
        assert p.returncode == (125 if args[0] == "start" else 1), p
        assert says in p.stderr + p.stdout and "pivot_root" in p.stderr + p.stdout, p
        subprocess.run(["sh", "-c", 'cd "$0"; rmdir tmp usr dev proc etc; rm -f bin lib lib64', top],
                       check=True, capture_output=True)


def test_ids_that_do_not_exist(csbx, busybox_image):
    p = subprocess.run(["unshare", "-U", *csbx.argv(["start", busybox_image, "true"])],
                       env=csbx.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       timeout=60, check=False, **csbx.identity())
    assert p.returncode == 125 and "its user id does not exist" in p.stderr, p.stderr


@pytest.mark.both_users
def test_within_another_user_namespace(csbx, busybox_image):
    """One that has the user's id is as good as none."""
    p = subprocess.run(["unshare", "-U", "--map-current-user",
                        *csbx.argv(["start", "--userns", "one", busybox_image, "id", "-u"])],
                       env=csbx.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       timeout=60, check=False, **csbx.identity())
    assert (p.returncode, p.stdout) == (0, "0\n"), p.stderr


@pytest.mark.needs_root
def test_memory_files_that_may_not_be_run(csbx, busybox_image):
    """vm.memfd_noexec=2: csbx-init is the installed file, under Landlock too; that is told."""
    if not os.path.exists("/proc/sys/vm/memfd_noexec"):
        pytest.skip("this kernel has no vm.memfd_noexec (Linux 6.3)")
    # The server must have left before its pid namespace ends.
    script = ('echo 2 >/proc/sys/vm/memfd_noexec && runuser -u "$@"; code=$?; '
              'while ls "$CSBX_RUNTIME_PATH"/servers/*.sock; do sleep .05; done >/dev/null 2>&1; exit $code')
    for options in ([], ["--security-opt", "landlock=off"], ["--read-only"]):
        args = ["start", *options, busybox_image, "sh", "-c", "cat /proc/1/exe 2>/dev/null || echo fine"]
        p = subprocess.run(["unshare", "-m", "-p", "-f", "--mount-proc", "sh", "-c", script, "-",
                            csbx.owner.pw_name, "--", *csbx.argv(args)], env=csbx.env, text=True,
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        assert (p.returncode, p.stdout) == (0, "fine\n"), p.stderr
        assert p.stderr.startswith("csbx: degraded: init_writable: ")


def limited(csbx, blocks, *args):
    return subprocess.run(["bash", "-c", f'ulimit -f {blocks} && exec "$@"', "-", *csbx.argv(args)],
                          env=csbx.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          cwd=csbx.work, timeout=60, check=False, **csbx.identity())


@pytest.mark.parametrize("blocks", [1, 8])
def test_file_size_limit(csbx, busybox_image, busybox_layout, blocks):
    for args in (["start", busybox_image, "true"], ["import", "-o", "x.sqsh", f"oci:{busybox_layout}"]):
        p = limited(csbx, blocks, *args)
        assert p.returncode == 125 and "File too large" in p.stderr, p
        assert f"{blocks * 1024} bytes at most (ulimit -f)" in p.stderr
    assert os.listdir(csbx.work) == []


def test_file_size_limit_ends_a_payload_as_ever(csbx, busybox_image):
    """The signal is csbx's to ignore, not the program's."""
    p = limited(csbx, 256, "start", busybox_image, "sh", "-c", "cat /dev/zero >/big")
    assert p.returncode == 128 + 25, p


def test_runtime_directory(csbx):
    feature = ["doctor", "--feature", "runtime-dir"]
    assert str(csbx.dirs["run"]) in csbx.ok(*feature, env={"XDG_RUNTIME_DIR": "/nonexistent"})
    p = csbx.run(*feature, env={"CSBX_RUNTIME_PATH": "/proc/csbx"})
    assert p.returncode == 1 and "/proc/csbx" in p.stdout


def test_working_directory(csbx, make_image, busybox_image):
    args = [busybox_image, "pwd"]
    csbx.fails("start", "--workdir", "/bin/busybox", *args, says="enter the working directory /bin/busybox")
    csbx.fails("start", "--read-only", "--workdir", "/not/there", *args,
               says="make the working directory /not/there: Read-only")
    csbx.fails("start", "--workdir", "/a" * 3000, *args, says="--workdir: a path of 6000 bytes, of 4095 at most")
    csbx.fails("start", "--help=x", says="--help' takes no value")


SESSION = """
mount -t tmpfs -o mode=755 none /run && mkdir -p "/run/user/$1" && chmod "$2" "/run/user/$1" && chown "$1" "/run/user/$1"
shift 2; exec runuser -u "$@"
"""


@pytest.mark.needs_root
@pytest.mark.parametrize("mode,place", [("700", "/run/user/{}/csbx"), ("755", "/tmp/csbx-{}")])
def test_the_sessions_directory_is_used_without_its_variable(csbx, busybox_image, mode, place):
    """As in su and cron: sockets need not lie in a /tmp that all users share."""
    uid = csbx.owner.pw_uid
    env = {k: v for k, v in csbx.env.items() if k != "CSBX_RUNTIME_PATH"}
    p = subprocess.run(["unshare", "-m", "sh", "-c", SESSION, "-", str(uid), mode, csbx.owner.pw_name, "--",
                        *csbx.argv(["start", "--plan", "--mount", "/usr:/x:ro", busybox_image, "true"])], env=env,
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert p.returncode == 0, p.stderr
    hidden = [x.split()[1] for x in p.stdout.splitlines() if x.startswith("hide ")]
    assert hidden[0] == place.format(uid), hidden


@pytest.fixture
def descriptors_on_their_way():
    """1,500 of this user's descriptors lie in a socket for 1.5 s: more than a program may have open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    ours, theirs = socket.socketpair()
    with open("/dev/null", encoding="ascii") as f:
        for _ in range(6):
            socket.send_fds(ours, [b"x"], [f.fileno()] * 250)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 1024), hard))
    timer = threading.Timer(1.5, lambda: (ours.close(), theirs.close()))
    timer.start()
    yield
    timer.join()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.feature("userns")
def test_many_descriptors_on_their_way(csbx, busybox_image, descriptors_on_their_way):
    """unix(7), ETOOMANYREFS: a start waits until others have taken what was sent to them."""
    assert csbx.ok("run", busybox_image, "echo", "started") == "started\n"


def test_few_open_files(csbx, busybox_image):
    """The error says how many are enough; so many are."""
    script = 'ulimit -n "$0" && exec "$@"'

    def start(most):
        return subprocess.run(["bash", "-c", script, str(most), *csbx.argv(["start", busybox_image, "true"])], env=csbx.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False, **csbx.identity())
    for most in (10, 20):
        p = start(most)
        assert p.returncode == 125 and "Too many open files" in p.stderr, p
        assert f"may have {most} open files at most: ulimit -n 256" in p.stderr, p.stderr
    assert start(256).returncode == 0


@pytest.mark.parametrize("home, says", [(None, "HOME is not set"), ("", "HOME is not set"), ("rel", "HOME is 'rel', no absolute path")])
def test_home(csbx, home, says):
    env = {k: v for k, v in csbx.env.items() if k not in ("HOME", "CSBX_DATA_PATH", "XDG_DATA_HOME")}
    env.update({} if home is None else {"HOME": home})
    for args in (["list"], ["doctor"], ["import", "oci:x"]):
        p = subprocess.run(csbx.argv(args), env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
                           **csbx.identity())
        assert p.returncode == 125 and says in p.stderr and "CSBX_DATA_PATH to a directory of yours" in p.stderr, p
