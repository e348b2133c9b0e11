# SPDX-License-Identifier: Apache-2.0
"""Work that people do in containers: install, remove, check out, change owners, many at a time; in layers that are
thrown away and in kept ones."""
import subprocess

import pytest

pytestmark = pytest.mark.feature("userns")
LAYERS = pytest.mark.parametrize("layer", [[], ["-w"]], ids=["throw-away", "kept"])

INSTALL = """
set -e
lib=$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
rm -r $lib/json                         # a directory of the image
! python3 -c 'import json' 2>/dev/null
mkdir $lib/json                         # and one over it
echo 'answer = 42' >$lib/json/__init__.py
python3 -c 'import json; assert json.answer == 42 and not hasattr(json, "dumps")'
ls -A $lib/json | grep -v __pycache__
mv $lib/concurrent $lib/post            # a directory of the image renamed
python3 -c 'import post.futures._base' 2>/dev/null || python3 -c 'import post'
mkdir -p /usr/local/lib/pkg && cp -a $lib/xml /usr/local/lib/pkg/ && rm -rf /usr/local/lib/pkg/xml/dom
python3 -m compileall -q /usr/local/lib/pkg
ln -sf /usr/local/lib/pkg /usr/lib/pkg && ln /usr/local/lib/pkg/xml/__init__.py /root/hard
chmod 4755 /usr/local/lib/pkg/xml/__init__.py
echo x >>/etc/passwd && sed -i '$d' /etc/passwd
rmdir /mnt && mkdir /mnt && touch /mnt/x && rm -rf /mnt && mkdir -p /mnt/deep/er
truncate -s 10M /var/tmp/sparse && dd if=/dev/zero of=/var/tmp/full bs=64k count=16 2>/dev/null
find / -xdev -newer /proc/1 >/dev/null 2>&1 || true
echo done
"""


@LAYERS
@pytest.mark.both_users
def test_installing(csbx, python_image, layer):
    csbx.ok("create", "--name", "py", python_image)
    said = csbx.ok("start", *layer, "py", "sh", "-c", INSTALL)
    assert said.splitlines() == ["__init__.py", "done"]
    after = csbx.run("start", *layer, "py", "python3", "-c", "import json; print(hasattr(json, 'dumps'))")
    assert after.stdout == ("False\n" if layer else "True\n"), after.stderr
    csbx.ok("remove", "-f", "py")


RENAMES = r"""
import ctypes, errno, os, shutil, sysconfig
libc, here = ctypes.CDLL(None, use_errno=True), -100
def outcome(f, *args):
    try: return f(*args) or "ok"
    except OSError as e: return errno.errorcode[e.errno]
def call(f, *args):
    if f(*args) < 0: raise OSError(ctypes.get_errno(), "")
def rename2(a, b, flags): call(libc.renameat2, here, a.encode(), here, b.encode(), flags)
def temporary(d):
    fd = os.open(d, os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(fd, b"nameless")
    call(libc.linkat, here, b"/proc/self/fd/%d" % fd, here, (d + "/named").encode(), 0x400)
    assert open(d + "/named").read() == "nameless"
lib = sysconfig.get_path("stdlib")
os.makedirs("/own/dir")
for name in "ab": open("/own/" + name, "w").write(name)
first = open(lib + "/abc.py").read()
print("directory of the image", outcome(os.rename, lib + "/json", lib + "/moved"))
print("exchanged with an own one", outcome(rename2, lib + "/json", "/own/dir", 2))
print("by copying", outcome(lambda: shutil.move(lib + "/json", lib + "/moved") and None))
print("file of the image", outcome(os.rename, lib + "/bdb.py", lib + "/moved.py"))
print("own directory", outcome(os.rename, "/own/dir", lib + "/dir"))
print("exchange", outcome(rename2, "/own/a", "/own/b", 2), open("/own/a").read())
print("exchange in the image", outcome(rename2, lib + "/abc.py", lib + "/ast.py", 2),
      open(lib + "/ast.py").read() == first)
print("exchange with the image", outcome(rename2, lib + "/ast.py", "/own/a", 2),
      open("/own/a").read() == first)
print("no replacing", outcome(rename2, "/own/a", "/own/b", 1), outcome(rename2, "/own/a", "/own/z", 1),
      outcome(rename2, lib + "/cmd.py", lib + "/csv.py", 1), outcome(rename2, lib + "/cmd.py", "/own/c", 1))
print("nameless", *(outcome(temporary, d) for d in ("/own", lib + "/email", "/tmp")))
print("hard link", outcome(os.link, lib + "/csv.py", "/own/csv"), os.stat("/own/csv").st_nlink)
print("overlay's own attribute", outcome(os.setxattr, "/own", "user.overlay.opaque", b"y"))
"""


@LAYERS
@pytest.mark.both_users
def test_renames(csbx, python_image, layer):
    """As in docker: a directory of the image is renamed by copying, which mv does; all else works."""
    csbx.ok("create", "--name", "py", python_image)
    said = csbx.ok("start", *layer, "py", "python3", "-c", RENAMES).splitlines()
    csbx.ok("remove", "-f", "py")
    assert said[:-1] == [
        "directory of the image EXDEV", "exchanged with an own one EXDEV", "by copying ok",
        "file of the image ok", "own directory ok", "exchange ok b", "exchange in the image ok True",
        "exchange with the image ok True", "no replacing EEXIST ok EEXIST ok", "nameless ok ok ok",
        "hard link ok 2"]
    assert said[-1].startswith("overlay's own attribute ")


GIT = """
set -e
export HOME=/root GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
cd "$(python3 -c 'import os, email; print(os.path.dirname(email.__file__))')"
git init -q . && git add -A . && git commit -qm one
git checkout -q -b two && rm -rf * && mkdir sub && echo new >sub/file && git add -A && git commit -qm two
git checkout -q master 2>/dev/null || git checkout -q main
[ -z "$(git status --porcelain)" ]
git checkout -q two && cat sub/file && git diff --stat HEAD~1 >/dev/null && git gc -q
git clone -q . /tmp/clone && git -C /tmp/clone log --format=%s
"""


@LAYERS
def test_git_on_a_debian_image(csbx, debian_image, layer):
    csbx.ok("create", "--name", "deb", debian_image)
    assert csbx.ok("start", *layer, "deb", "bash", "-c", GIT, timeout=120).split() == ["new", "two", "one"]
    csbx.ok("remove", "-f", "deb")


@LAYERS
def test_debian_tools(csbx, debian_image, layer):
    """dpkg on the image's own database: files removed, added, diverted."""
    csbx.ok("create", "--name", "deb", debian_image)
    script = ("set -e; dpkg --audit; dpkg -P --force-depends git-man >/dev/null; ! dpkg -s git-man >/dev/null 2>&1; "
              "apt-get --version >/dev/null; perl -e 'print 6*7'")
    assert csbx.ok("start", *layer, "deb", "bash", "-c", script, timeout=120) == "42"
    csbx.ok("remove", "-f", "deb")


@LAYERS
@pytest.mark.feature("subuid")
def test_owners_within_the_map(csbx, python_image, layer):
    script = """
set -e
chown 1000:1000 /etc/hostname2 2>/dev/null || touch /etc/hostname2; chown 33:50 /etc/hostname2
chown -R 1000:1000 /usr/local && stat -c %u:%g /usr/local /etc/hostname2
stat -c %u:%g:%a /etc/shadow; echo x >>/etc/shadow; stat -c %u:%g:%a /etc/shadow
stat -c %u:%g /home/app/.profile
chmod 2775 /srv 2>/dev/null || mkdir -m 2775 /srv; chgrp 50 /srv
"""
    csbx.ok("create", "--name", "py", python_image)
    said = csbx.ok("start", *layer, "--userns", "subuid", "py", "sh", "-c", script).split()
    assert said == ["1000:1000", "33:50", "0:42:640", "0:42:640", "1000:1000"]
    csbx.ok("remove", "-f", "py")


@pytest.mark.both_users
def test_one_id_files_are_the_main_users(csbx, python_image):
    said = csbx.ok("start", "--userns", "one", python_image, "sh", "-c",
                   "stat -c %u:%g /etc/shadow /home/app; echo x >>/etc/shadow && chown 0:0 /etc/shadow && echo ok")
    assert said.split() == ["0:0", "0:0", "ok"]


@pytest.mark.both_users
def test_64_starts_at_once(csbx, python_image):
    csbx.ok("create", "--name", "py", python_image)
    many = [csbx.popen("start", "py", "python3", "-c", f"import os; open('/tmp/x','w').write('{n}'); "
                       f"print({n}, open('/tmp/x').read(), os.listdir('/tmp'))") for n in range(64)]
    for n, p in enumerate(many):
        out, err = p.communicate(timeout=120)
        assert (p.returncode, out.decode(), err) == (0, f"{n} {n} ['x']\n", b""), err
    csbx.ok("remove", "-f", "py")


def test_100_creates_copy_nothing(csbx, python_image):
    def used():
        out = subprocess.run(["du", "-sk", csbx.dirs["data"], csbx.dirs["cache"]], capture_output=True, text=True,
                             check=True).stdout
        return sum(int(line.split()[0]) for line in out.splitlines())
    csbx.ok("create", "--name", "first", python_image)
    before = used()
    for n in range(100):
        csbx.ok("create", "--name", f"c{n}", python_image)
    assert used() - before < 2048
    assert len(csbx.ok("list", "-q").split()) == 101
    csbx.ok("remove", "-f", "first", *(f"c{n}" for n in range(100)))


def test_read_only_root(csbx, python_image):
    p = csbx.run("start", "--read-only", python_image, "sh", "-c",
                 "touch /x /etc/x /tmp/x /usr/bin/x; mkdir /new/dir; rm /bin/sh; echo $(ls /x /etc/x 2>/dev/null)")
    assert p.stdout == "\n" and p.stderr.count("Read-only file system") >= 4


def test_upper_size_is_a_limit(csbx, python_image):
    p = csbx.run("start", "--upper-size", "8m", python_image, "sh", "-c",
                 "dd if=/dev/zero of=/big bs=1M count=64 2>/dev/null; stat -c %s /big; rm /big; echo again >/small && cat /small")
    size, again = p.stdout.split()
    assert int(size) <= 9 << 20 and again == "again", p.stderr
