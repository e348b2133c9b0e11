#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Import random stacks of layers and compare the result with two oracles.

	random_stacks.py [--build DIR] [--count 4000] [--seed 1] [--jobs N]

Each stack of 1 to 4 layers comes from its number alone; every second one is `portable`. The tree that csbx makes of it,
read back by fixtures/squashfs.py, must equal the one that fixtures/layermodel.py makes; and, for the stacks that keep
to what umoci understands (`portable`), the files that `umoci raw unpack` leaves on disk (as root: ids). A failing stack
is shrunk by leaving out layers and entries, and printed as a Python expression.
"""
import argparse
import concurrent.futures
import copy
import os
import posixpath
import random
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
sys.path.insert(0, str(FIXTURES))
import harness  # noqa: E402
import squashfs  # noqa: E402
from layermodel import Model, Refused  # noqa: E402
from ociimage import D, F, H, Image, L, O, P, W, make_layer  # noqa: E402

NAMES = ["a", "b", "c", "d"]
ODD_NAMES = ["é", "a b", "n" * 101, ".hidden", "wh.x", "-", "ü" * 60]


def parse_arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("--build", default=os.environ.get("CSBX_TEST_BIN", "build/release"))
    ap.add_argument("--count", type=int, default=4000)
    ap.add_argument("--seed", type=int, default=int(os.environ.get("CSBX_TEST_SEED", "1")))
    ap.add_argument("--only", type=int, help="run the stack of this number alone, print it")
    ap.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1))
    return ap.parse_args()


# --- generating -----------------------------------------------------------------------------------

class Generator:
    """Random entries that make sense on top of what the model says is there."""

    def __init__(self, rng, portable):
        self.rng, self.portable, self.model = rng, portable, Model()
        self.seen = set()  # names of this layer

    def name(self):
        return self.rng.choice(NAMES if self.rng.random() < 0.93 else ODD_NAMES)

    def path(self):
        return "/".join(self.name() for _ in range(self.rng.choice((1, 1, 2, 2, 2, 3, 4))))

    def existing(self, want):
        names = [n for n, i in self.model.walk_all() if n and want(i)]
        return self.rng.choice(sorted(names)) if names else None

    def attributes(self):
        r = self.rng
        out = {"mode": r.choice((0o644, 0o755, 0o600, 0o4755, 0o2775, 0o1777, 0o444, 0)),
               "uid": r.choice((0, 0, 1, 1000, 65534, 70000)), "gid": r.choice((0, 0, 42, 4000000)),
               "mtime": r.choice((0, 1, 1600000000, 1700000000.25, 4000000000))}
        if r.random() < 0.1:
            out["xattrs"] = {"user." + r.choice("xy"): r.choice((b"1", b"v" * 300))}
        return out

    def parents_ok(self, path):
        """Portable stacks have nothing but directories, and links to them, among the parents."""
        parts = path.split("/")
        for n in range(1, len(parts)):
            if ("/".join(parts[:n])) in self.removed:
                return False
            try:
                chain = self.model.walk(parts[:n - 1], make=False)
            except Exception:
                return False
            if not chain:
                return True
            slot = chain[-1][0].children.get(parts[n - 1])
            if not slot:
                return True
            if slot[0].kind == stat.S_IFLNK:
                if not self.leads_to_directory(parts[:n]):
                    return False
            elif not slot[0].is_dir():
                return False
        return True

    def through_link(self, path):
        """Is some parent of the path a symlink?"""
        here = self.model.root
        for part in path.split("/")[:-1]:
            slot = here.children.get(part)
            if not slot:
                return False
            here = slot[0]
            if not here.is_dir():
                return True
        return False

    def leads_to_directory(self, parts):
        try:
            return self.model.walk(parts, make=False) is not None
        except Exception:
            return False

    def entry(self):
        kind = self.rng.choices(("file", "dir", "link", "hard", "wh", "opq", "fifo"),
                                (30, 25, 10, 12, 12, 6, 5))[0]
        at, path = self.attributes(), self.path()
        if kind == "hard":
            target = self.existing(lambda i: i.kind == stat.S_IFREG or
                                   (i.kind == stat.S_IFLNK and not self.portable))
            if target is None:
                return None
            at.pop("xattrs", None)
            if not self.portable:
                return H(path, target, **at)
            # umoci keeps the target's attributes, containerd and csbx take the link's own; as in
            # real layers they are the same here. And a link's name must not hold its target.
            inode = dict(self.model.walk_all())[target]
            if target == path or target.startswith(path + "/") or self.through_link(path):
                return None
            return H(path, target, mode=inode.mode, uid=inode.uid, gid=inode.gid, mtime=inode.mtime)
        if kind == "wh":
            target = self.existing(lambda i: True) if self.rng.random() < 0.9 else path
            return W(target) if target else None
        if kind == "opq":
            target = self.existing(lambda i: i.is_dir())
            return O(target) if target else None
        if kind == "file":
            data = self.rng.choice((b"", b"x", b"hello\n", bytes(self.rng.randrange(256) for _ in range(40)),
                                    b"0" * 5000, b"\0" * 200000))
            return F(path, data, **at)
        if kind == "dir":
            mode = at["mode"] | 0o700
            if self.portable:
                mode &= ~0o2000  # what is made in such a directory on a disk inherits its group
            return D(path, **{**at, "mode": mode})
        if kind == "fifo":
            at.pop("xattrs", None)
            return P(path, **at)
        at.pop("xattrs", None)
        target = self.rng.choice((self.path(), "/" + self.path(), "../" + self.name(), self.name()))
        return L(path, target, mtime=at["mtime"], uid=at["uid"], gid=at["gid"])

    def acceptable(self, entry):
        """Would every unpacker agree on it, given what this layer has so far?"""
        if not self.portable:
            return True
        base = posixpath.basename(entry.name)
        path = entry.name
        if base.startswith(".wh."):
            path = posixpath.dirname(path) if base == ".wh..wh..opq" else \
                posixpath.join(posixpath.dirname(path), base[4:])
            # Lower things only, and before this layer says anything about the same place.
            if any(s == path or s.startswith(path + "/") for s in self.seen) or not self.real(path):
                return False
            self.removed.add(path)
            return True
        if path in self.seen or not self.parents_ok(path):
            return False
        return not any(path == r or path.startswith(r + "/") or r.startswith(path + "/")
                       for r in self.removed)

    def real(self, path):
        """No symlink among the parents, and something there."""
        here = self.model.root
        for part in path.split("/"):
            slot = here.children.get(part)
            if not slot:
                return False
            here = slot[0]
        return True

    def layer(self, n):
        entries, self.seen, self.removed = [], set(), set()
        before = copy.deepcopy(self.model)
        for _ in range(n * 4):
            if len(entries) >= n:
                break
            entry = self.entry()
            if entry is None or not self.acceptable(entry):
                continue
            trial = copy.deepcopy(before)
            try:
                trial.apply([*entries, entry])
            except Refused:
                continue
            entries.append(entry)
            self.seen.add(entry.name)
            self.model = trial
        return entries


def generate(seed, number):
    """(layers, portable) of a stack; the same for the same numbers."""
    rng = random.Random(f"{seed} {number}")
    portable = number % 2 == 0
    gen = Generator(rng, portable)
    return [gen.layer(rng.randrange(1, 12)) for _ in range(rng.randrange(1, 5))], portable


# --- comparing ------------------------------------------------------------------------------------

def expected(layers):
    model = Model()
    for layer in layers:
        model.apply(layer)
    return model.listing(), model.vague_times()


def compare_csbx(box, source, want):
    out = box.work / "out.sqsh"
    out.unlink(missing_ok=True)
    p = box.run("import", "-q", "-o", out, "--comp", "none", "--no-enroot-files", f"oci:{source}:s")
    if p.returncode:
        return [f"csbx refused it: {p.stderr.strip()}"]
    got = squashfs.listing(out)
    bad = squashfs.directory_nlinks(got)
    got = squashfs.without(got, [".csbx"])
    return bad + squashfs.differences(got, want)


def compare_umoci(box, source, want, vague):
    out = box.top / "umoci"
    subprocess.run(["rm", "-rf", out], check=True)
    p = subprocess.run(["umoci", "raw", "unpack", "--image", f"{source}:s", str(out)],
                       capture_output=True, text=True, check=False)
    if p.returncode:
        return [f"umoci refused it: {p.stderr.strip().splitlines()[-1:]}"]
    return squashfs.differences(squashfs.directory_listing(out), want, ignore=lambda name, field:
                                field == "mtime" and name in vague)


def check(box, layers, portable):
    """Lines of difference; empty when all agree."""
    source = box.work / "oci"
    shutil.rmtree(source, ignore_errors=True)
    compressions = ("plain", "gzip", "zstd")
    Image([make_layer(x, compressions[n % 3]) for n, x in enumerate(layers)], ref="s").write_oci(source)
    want, vague = expected(layers)
    bad = [f"csbx: {x}" for x in compare_csbx(box, source, want)]
    if portable:
        # umoci 0.4 knows no zstd
        source = box.work / "oci-gzip"
        shutil.rmtree(source, ignore_errors=True)
        Image([make_layer(x, "gzip") for x in layers], ref="s").write_oci(source)
        bad += [f"umoci: {x}" for x in compare_umoci(box, source, want, vague)]
    return bad


def shrink(box, layers, portable):
    """Leaves out whole layers, then entries, as long as something still differs."""
    def fails(candidate):
        try:
            return bool(candidate) and bool(check(box, candidate, portable))
        except Refused:
            return False
    changed = True
    while changed:
        changed = False
        for n in range(len(layers)):
            if fails(layers[:n] + layers[n + 1:]):
                layers, changed = layers[:n] + layers[n + 1:], True
                break
            for k in range(len(layers[n])):
                smaller = layers[:n] + [layers[n][:k] + layers[n][k + 1:]] + layers[n + 1:]
                if fails(smaller):
                    layers, changed = smaller, True
                    break
            if changed:
                break
    return layers


def show(layers):
    out = []
    for n, layer in enumerate(layers):
        out.append(f"layer {n}:")
        for e in layer:
            kw = {k: v for k, v in vars(e).items() if v not in (b"", "", {}, (0, 0)) and k != "name"}
            if len(kw.get("data", b"")) > 40:
                kw["data"] = kw["data"][:10] + b"..."
            out.append(f"  {e.name!r} {kw}")
    return out


def work(numbers, seed, use_umoci, top):
    """One worker: (compared, compared with umoci too, report lines of failures)."""
    harness.become_subreaper()
    box = harness.Sandbox(top=top)
    n_model = n_umoci = 0
    report = []
    try:
        for number in numbers:
            layers, portable = generate(seed, number)
            portable = portable and use_umoci
            bad = check(box, layers, portable)
            n_model += 1
            n_umoci += portable
            if bad:
                small = shrink(box, layers, portable)
                report.append([f"stack {number} of seed {seed}:", *check(box, small, portable),
                               *show(small)])
        if left := box.leftovers():
            report.append(["left behind: " + "; ".join(left)])
    finally:
        box.close()
    return n_model, n_umoci, report


def main():
    a = parse_arguments()
    harness.become_root()
    use_umoci = os.geteuid() == 0 and shutil.which("umoci") is not None
    if a.only is not None:
        print("\n".join(show(generate(a.seed, a.only)[0])))
    numbers = [a.only] if a.only is not None else list(range(a.count))
    chunks = [numbers[n::a.jobs] for n in range(a.jobs)]
    n_model = n_umoci = 0
    failures = []
    with tempfile.TemporaryDirectory(prefix="csbx-stacks.", dir=harness.memory_dir()) as top:
        os.chmod(top, 0o755)
        harness.stage_programs(a.build, top)
        with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
            for m, u, report in pool.map(work, chunks, [a.seed] * a.jobs, [use_umoci] * a.jobs,
                                         [top] * a.jobs):
                n_model, n_umoci, failures = n_model + m, n_umoci + u, failures + report
    for lines in failures[:10]:
        print("\n".join(lines))
    print(f"# {n_model} stacks compared with the model, {n_umoci} of them with umoci too"
          + ("" if use_umoci else " (umoci needs root)"))
    print(f"{n_model - len(failures)} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
