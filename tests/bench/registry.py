# SPDX-License-Identifier: Apache-2.0
"""P7b: an image of usual size from a registry on loopback."""
import contextlib
import os
import shutil
import socket
import subprocess
import time

import payloads
from measure import Case, Failed
from world import Unavailable

PROGRAMS = ("docker-registry", "skopeo", "umoci", "mksquashfs")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def registry(world):
    """Debian's docker-registry over plain HTTP; its address."""
    top, address = world.work / "registry", f"127.0.0.1:{free_port()}"
    world.own_dir(top, 0o755)
    config = top / "config.yml"
    config.write_text(f"""version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {top}/data}}}}
http: {{addr: {address}}}
""", encoding="ascii")
    with open(top / "log", "wb") as log:
        p = subprocess.Popen(["docker-registry", "serve", str(config)], env=world.env,
                             stdin=subprocess.DEVNULL, stdout=log, stderr=log, **world.identity())
    try:
        wait_for(address, p)
        yield address
    finally:
        p.terminate()
        p.wait(20)
        shutil.rmtree(top, ignore_errors=True)


def wait_for(address, p):
    host, port = address.split(":")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and p.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 1):
            return
        time.sleep(0.05)
    raise Failed("docker-registry did not start")


def p7b(world, report):
    """Import from a registry against skopeo copy, umoci unpack and mksquashfs -comp zstd, level 3."""
    for program in PROGRAMS:
        if not shutil.which(program):
            raise Unavailable(f"{program} is not installed")
    layout = payloads.stack_layout(world.quick)
    with registry(world) as address:
        world.run("skopeo", "copy", "-q", "--insecure-policy", "--dest-tls-verify=false",
                  f"oci:{layout}:stack", f"docker://{address}/stack:1")
        compare(world, report, address)


def compare(world, report, address):
    out, copy, bundle, packed = (world.work / f"p7b{x}" for x in (".sqsh", "-oci", "-bundle", "-peer.sqsh"))
    uri = f"docker://{address}/stack:1"
    cache = world.work / "p7b-cache"
    both = (f"skopeo copy -q --insecure-policy --src-tls-verify=false {uri} oci:{copy}:1 && "
            f"umoci unpack --rootless --image {copy}:1 {bundle} >/dev/null 2>&1 && "
            f"mksquashfs {bundle}/rootfs {packed} -comp zstd -Xcompression-level 3 -noappend "
            "-no-progress -quiet")
    clean = f"chmod -R u+rwX {bundle} 2>/dev/null; rm -rf {bundle} {packed} {out} {copy}"
    fetch = ["env", f"CSBX_CACHE_PATH={cache}", world.csbx, "import", "-q", "-o", str(out), uri]
    keep = f"{clean}; CSBX_CACHE_PATH={cache} {world.csbx} import -q -o {out} {uri} && rm {out}"
    cold = Case("import, nothing in the cache", fetch, before=["sh", "-c", f"{clean}; rm -rf {cache}"],
                expect=None)
    warm = Case("import, all in the cache", fetch, before=["sh", "-c", keep], expect=None)
    theirs = Case("skopeo copy + umoci unpack + mksquashfs", ["sh", "-c", both],
                  before=["sh", "-c", clean], expect=None)
    samples = world.stopwatch([cold, warm, theirs], 3, warmup=0)
    report.samples("P7b", {k: samples[k] for k in (cold.name, theirs.name)}, cold.name, {theirs.name: 0.5})
    report.samples("P7b", {k: samples[k] for k in (warm.name, theirs.name)}, warm.name, {theirs.name: 1 / 3})
    for case in (cold, warm):
        report.value("P7b", f"{case.name}: memory", max(samples[case.name].maxrss_kb) / 1024, "MB", 200)
    left = [n for n in os.listdir(world.work / "home") if n.startswith(".csbx")]
    if left:
        raise Failed(f"left behind: {left}")


BENCHES = {"P7b": p7b}
