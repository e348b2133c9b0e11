# SPDX-License-Identifier: Apache-2.0
"""P3, P13: containers as records."""
import os

from measure import Case, Failed


def rounds(world):
    return 20 if world.quick else 60


def large_image(world):
    """A foreign image of 256 MiB that does not compress."""
    path = world.work / "large.sqsh"
    if not path.exists():
        blob = world.work / "blob"
        world.own_dir(blob, 0o755)
        world.run("dd", "if=/dev/urandom", f"of={blob}/blob", "bs=1M", "count=256", "status=none")
        world.run("mksquashfs", world.tree("python"), blob, path, "-noD", "-noF", "-noI", "-noX",
                  "-keep-as-directory", "-no-progress", "-quiet")
    return path


def disk_bytes(top, besides):
    """Bytes that the files below top occupy, without the inode `besides` that they are links to."""
    skip, seen, total = (besides.st_dev, besides.st_ino), set(), 0
    for here, _, files in os.walk(top):
        for path in [here, *(os.path.join(here, f) for f in files)]:
            st = os.lstat(path)
            key = (st.st_dev, st.st_ino)
            if key != skip and key not in seen:
                seen.add(key)
                total += st.st_blocks * 512
    return total


def p3(world, report):
    """create and remove copy and delete nothing, whatever the size of the image."""
    for size, image in (("small", world.image("python")), ("256 MiB", large_image(world))):
        make = [world.csbx, "create", "-n", "once", str(image)]
        drop = [world.csbx, "remove", "-f", "once"]
        world.run(*make)  # the record of the image is read once and kept
        world.run(*drop)
        samples = world.stopwatch([Case(f"create, {size} image", make, after=drop, expect=None),
                                   Case(f"remove, {size} image", drop, before=make, expect=None)],
                                  rounds(world))
        for name, s in samples.items():
            report.value("P3", f"{name}: median", s.median_ms, "ms", 5)
    hundred_creates(world, report)


def hundred_creates(world, report):
    image, data = world.image("python"), world.work / "data"
    before = disk_bytes(data, os.stat(image))
    names = [f"hundred{i}" for i in range(100)]
    for name in names:
        world.run(world.csbx, "create", "-n", name, image)
    added = (disk_bytes(data, os.stat(image)) - before) / 1e6
    report.value("P3", "100 creates add", added, "MB", 2)
    world.run(world.csbx, "remove", "-f", *names)


def p13(world, report):
    """list with many containers, each made by create."""
    count = 1000 if world.quick else 10000
    loop = f'i=0; while [ $i -lt {count} ]; do "$1" create -n "many$i" "$2" || exit 1; i=$((i+1)); done'
    world.run("sh", "-c", loop, "sh", world.csbx, world.image("python"))
    names = [x for x in world.run(world.csbx, "list", "-q").split() if x.startswith("many")]
    if len(names) != count:
        raise Failed(f"list shows {len(names)} of {count} containers")
    s = world.stopwatch([Case("list", [world.csbx, "list"], expect=None)], rounds(world))["list"]
    report.value("P13", f"list with {count} containers: median", s.median_ms, "ms",
                 100 if count == 10000 else None)
    for n in range(0, count, 500):
        world.run(world.csbx, "remove", "-f", *names[n:n + 500])


BENCHES = {"P3": p3, "P13": p13}
