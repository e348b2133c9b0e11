# SPDX-License-Identifier: Apache-2.0
"""P7, P9, P10: making images and reading files from them."""
import shutil
import subprocess
import sys
from pathlib import Path

import images
import payloads
from measure import Case, Failed, merge
from world import Unavailable

HERE = Path(__file__).resolve().parent


def real_image(world):
    """The largest real image there is: a Debian base, else python."""
    if not world.quick:
        try:
            images.layout("debian")
            return "debian"
        except (images.MissingTool, subprocess.CalledProcessError) as e:
            world.note(f"no Debian base ({e}): the python image stands in")
    return "python"


def p7(world, report):
    """Import against unpacking with umoci and packing with mksquashfs at the same compression."""
    for program in ("umoci", "mksquashfs"):
        if not shutil.which(program):
            raise Unavailable(f"{program} is not installed")
    kind = real_image(world)
    path, tag = world.layout(kind)
    out, bundle, packed = world.work / "p7.sqsh", world.work / "p7-bundle", world.work / "p7-peer.sqsh"
    both = (f"umoci unpack --rootless --image {path}:{tag} {bundle} >/dev/null 2>&1 && "
            f"mksquashfs {bundle}/rootfs {packed} -comp zstd -Xcompression-level 3 -noappend "
            "-no-progress -quiet")
    clean = ["sh", "-c", f"chmod -R u+rwX {bundle} 2>/dev/null; rm -rf {bundle} {packed} {out}"]
    ours = Case(f"import, {kind} image", [world.csbx, "import", "-q", "-o", str(out), f"oci:{path}"],
                before=clean, expect=None)
    theirs = Case("umoci unpack + mksquashfs -comp zstd", ["sh", "-c", both], before=clean, expect=None)
    samples = world.stopwatch([ours, theirs], 3, warmup=1)
    report.samples("P7", samples, ours.name, {theirs.name: 0.5})
    many_entries(world, report)


def many_entries(world, report):
    path, count = payloads.many(50000 if world.quick else 500000)
    out = world.work / "many.sqsh"
    case = Case(f"import, {count} entries", [world.csbx, "import", "-q", "-f", "-o", str(out), f"oci:{path}"],
                expect=None)
    s = world.stopwatch([case], 1, warmup=0)[case.name]
    names = world.run("unsquashfs", "-ll", out).splitlines()
    have = sum(1 for line in names if "squashfs-root/data" in line)
    if have != count:
        raise Failed(f"the image of {count} entries has {have}")
    report.value("P7", f"{case.name}: time", s.median_ms / 1e3, "s")
    report.value("P7", f"{case.name}: memory", max(s.maxrss_kb) / 1024, "MB", None if world.quick else 200)
    out.unlink()


# --- P9 -------------------------------------------------------------------------------------------

def reading(world, kind):
    """Reading every file of the image: from the image, and from the unpacked tree in bwrap."""
    name, readall = world.container(kind), ["/mnt/readall", "/usr"]
    bare = world.run(world.bin / "readall", world.tree(kind) / "usr")
    image = Case("image, warm", world.csbx_start(name, *readall, options=["--mount", f"{world.bin}:/mnt"]),
                 expect=bare)
    tree = Case("unpacked tree, warm", world.bwrap(kind, *readall, options=["--ro-bind", str(world.bin), "/mnt"]),
                expect=bare)
    return image, tree


def renamed(case, name, before=()):
    return Case(name, case.argv, before=list(before), expect=case.expect)


def cold(world, case):
    world.drop_caches()
    return world.stopwatch([case], 1, warmup=0)


def p9(world, report):
    """Every file read: warm, with the page cache dropped, and through a new mount."""
    kind = real_image(world)
    image, tree = reading(world, kind)
    n = 5 if world.quick else 10
    direct = Case("image, read-only root, warm", world.csbx_start(
        world.container(kind), "/mnt/readall", "/usr",
        options=["--read-only", "--security-opt", "root=shared", "--mount", f"{world.bin}:/mnt"]), expect=tree.expect)
    # The tree under csbx's own overlay: the cost of serving the image without that of the overlay.
    overlay = Case("unpacked tree under csbx, warm", world.csbx_start(
        str(world.tree(kind)), "/mnt/readall", "/usr", options=["--mount", f"{world.bin}:/mnt"]),
        expect=tree.expect)
    samples = world.stopwatch([image, direct, tree, overlay], n)
    report.samples("P9", samples, image.name, {tree.name: 1.2})
    report.samples("P9", samples, direct.name, {tree.name: 1.3}, only=[tree.name, image.name])
    fresh = renamed(image, "image cached, mount new", ["sh", "-c", f"{world.csbx} gc --servers >/dev/null && "
                                                       f"cat {world.image(kind)} >/dev/null"])
    report.samples("P9", world.stopwatch([fresh, tree], n), fresh.name, {tree.name: 5})
    if world.is_root:
        image, tree = renamed(image, "image, page cache dropped"), renamed(tree, "unpacked tree, dropped")
        parts = [cold(world, case) for _ in range(n) for case in (image, tree)]
        report.samples("P9", merge(parts), image.name, {tree.name: 2})
    else:
        report.left_out("P9", "only root drops the page cache")
    fuse_requests(world, report)


def fuse_requests(world, report):
    if not world.is_root:
        report.left_out("P9", "only root counts FUSE requests")
        return
    p = subprocess.run([sys.executable, str(HERE / "trace"), "--fuse", "--csbx", world.csbx,
                        *world.csbx_start(world.container("python"), "true")], env=world.env, text=True,
                       capture_output=True, check=False, timeout=60)
    if p.returncode or not p.stdout.strip().isdigit():
        raise Failed(f"trace: {p.stderr.strip()}")
    report.value("P9", "FUSE requests of a warm start", int(p.stdout), "", 1)


# --- P10 ------------------------------------------------------------------------------------------

def p10(world, report):
    """pytest collects a package of 120 test modules from the image and from the unpacked tree."""
    layout = payloads.pytest_layout()
    world.extra_layouts["pytest"] = layout
    name = world.container("pytest")
    collect = ["python3", "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider",
               f"/{payloads.PACKAGE}/tests"]
    expect = world.run(*world.bwrap("pytest", *collect, options=["--tmpfs", "/tmp"]))
    total = sum(int(line.rsplit(" ", 1)[1]) for line in expect.split("\n\n")[0].splitlines())
    if total != payloads.PACKAGE_MODULES * payloads.TESTS_A_MODULE:
        raise Failed(f"pytest collects {total} tests")
    cases = [Case("image", world.csbx_start(name, *collect), expect=expect),
             Case("unpacked tree", world.bwrap("pytest", *collect, options=["--tmpfs", "/tmp"]), expect=expect)]
    report.samples("P10", world.stopwatch(cases, 3 if world.quick else 6, warmup=1), "image",
                   {"unpacked tree": 1.05})


BENCHES = {"P7": p7, "P9": p9, "P10": p10}
