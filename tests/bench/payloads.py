# SPDX-License-Identifier: Apache-2.0
"""Images that only benchmarks need: very many entries, and a large package under pytest.

Kept, like all fixture images, in the cache of tests/fixtures/images.py.
"""
import json
import os
import random

import images
from ociimage import D, F, Image, entry_from_file, make_layer

FILES_A_DIRECTORY = 500
PYTEST_MODULES = ["pytest", "_pytest", "pluggy", "iniconfig", "packaging", "attr", "attrs", "py", "tomli",
                  "exceptiongroup"]
PACKAGE_MODULES, TESTS_A_MODULE = 120, 20
PACKAGE = "srv/big"


def header(name, kind, mode, size=0):
    """One ustar header; a tenth of tarfile's time, which counts for half a million."""
    h = bytearray(512)
    h[0:len(name)] = name
    h[100:107], h[108:115], h[116:123] = b"%07o" % mode, b"0000000", b"0000000"
    h[124:135], h[136:147] = b"%011o" % size, b"14524770400"
    h[148:156], h[156] = b" " * 8, ord(kind)
    h[257:265] = b"ustar\x0000"
    h[148:155] = b"%06o\0" % sum(h)
    return bytes(h)


def many_tar(entries):
    """A tar of about that many directories and small files."""
    parts = [header(b"data/", "5", 0o755)]
    for n in range(entries // (FILES_A_DIRECTORY + 1)):
        parts.append(header(b"data/d%05d/" % n, "5", 0o755))
        for k in range(FILES_A_DIRECTORY):
            name = b"data/d%05d/file-%04d.txt" % (n, k)
            if k % 10:
                parts.append(header(name, "0", 0o644))
            else:
                text = b"%d of %d\n" % (k, n)
                parts += [header(name, "0", 0o644, len(text)), text.ljust(512, b"\0")]
    parts.append(b"\0" * 1024)
    return b"".join(parts)


def many(entries):
    """Layout of an image with that many entries in one gzip layer, and how many there are exactly."""
    exact = entries // (FILES_A_DIRECTORY + 1) * (FILES_A_DIRECTORY + 1) + 1
    path = images.cached(f"bench-many-{entries}", [exact, FILES_A_DIRECTORY],
                         lambda d: Image([make_layer(many_tar(entries))], {"Cmd": ["/bin/true"]},
                                         ref="many").write_oci(d))
    return path, exact


def test_module(rng, number):
    """A test module as people write them: imports, a fixture, functions, a class, parameters."""
    lines = ["import json", "import os", "import re", "import pytest",
             f"from big.code.m{rng.randrange(PACKAGE_MODULES):03d} import compute", "", "",
             "@pytest.fixture", "def number():", f"    return {number}", ""]
    for k in range(TESTS_A_MODULE - 5):
        lines += ["", f"def test_{rng.choice(['adds', 'parses', 'keeps', 'finds'])}_{k}(number):",
                  f"    got = compute(number, {k})",
                  f"    assert got == number * {rng.randrange(2, 9)} or got is not None",
                  "    assert re.match('[0-9]+', str(abs(got)))", ""]
    lines += ["", "class TestMany:", '    @pytest.mark.parametrize("value", [1, 2, 3, 4, 5])',
              "    def test_value(self, value):", "        assert json.loads(str(value)) == value"]
    return "\n".join(lines) + "\n"


def code_module(rng):
    lines = ["import collections", "import functools", "", ""]
    for k in range(40):
        lines += [f"def helper_{k}(a, b={rng.randrange(100)}):", f"    return a * {k + 1} + b", "", ""]
    return "\n".join(lines + ["def compute(a, b):", "    return helper_3(a, b)"]) + "\n"


def package_entries():
    rng = random.Random(1)
    entries = [D(d) for d in ("srv", PACKAGE, f"{PACKAGE}/big", f"{PACKAGE}/big/code", f"{PACKAGE}/tests")]
    entries += [F(f"{PACKAGE}/big/__init__.py"), F(f"{PACKAGE}/big/code/__init__.py"),
                F(f"{PACKAGE}/conftest.py", "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n")]
    for n in range(PACKAGE_MODULES):
        entries += [F(f"{PACKAGE}/big/code/m{n:03d}.py", code_module(rng)),
                    F(f"{PACKAGE}/tests/test_m{n:03d}.py", test_module(rng, n))]
    return entries


def pytest_files():
    """Host path -> name in the image of pytest and what it imports."""
    top, found = "/usr/lib/python3/dist-packages", {}
    if not os.path.isdir(f"{top}/pytest"):
        raise images.MissingTool("python3-pytest is not installed")
    for module in PYTEST_MODULES:
        for here, dirs, names in os.walk(f"{top}/{module}"):
            dirs.sort()
            found[here] = here.lstrip("/")
            found.update({f"{here}/{n}": f"{here}/{n}".lstrip("/") for n in sorted(names)})
        if os.path.exists(f"{top}/{module}.py"):
            found[f"{top}/{module}.py"] = f"{top}/{module}.py".lstrip("/")
    found.update({f"{top}/{d}": f"{top}/{d}".lstrip("/") for d in os.listdir(top)
                  if d.endswith((".egg-info", ".dist-info")) and d.split("-")[0].lower() in PYTEST_MODULES
                  and os.path.isdir(f"{top}/{d}")})
    return found


def pytest_layout():
    """Layout of an image with python, pytest and a package of PACKAGE_MODULES test modules."""
    files = pytest_files()

    def build(directory):
        base = images.python_image()
        entries = [D("usr/lib/python3"), D("usr/lib/python3/dist-packages")]
        entries += [entry_from_file(path, name) for path, name in
                    sorted(files.items(), key=lambda item: item[1])]
        layers = [*base.layers, make_layer(entries), make_layer(package_entries())]
        Image(layers, base.config, ref="pytest").write_oci(directory)

    recipe = [sorted(files), open(__file__, encoding="utf-8").read(), json.dumps(PYTEST_MODULES)]
    return images.cached("bench-pytest", recipe, build)


# --- an image of usual size -----------------------------------------------------------------------

STACK_BYTES = 473 << 20
STACK_TOPS = ("/usr/bin", "/usr/lib", "/usr/share")


def files_below(top, limit):
    """Plain files that everybody may read, in the order of their names, up to limit bytes."""
    found, total = [], 0
    for here, dirs, names in os.walk(top):
        dirs.sort()
        for name in sorted(names):
            path = os.path.join(here, name)
            st = os.lstat(path)
            if not os.path.isfile(path) or os.path.islink(path) or st.st_size > 64 << 20 or not st.st_mode & 4:
                continue
            if total + st.st_size > limit:
                return found
            total += st.st_size
            found.append(path)
    return found


def with_parents(paths, prefix):
    seen = set()
    for path in paths:
        name = prefix + path.lstrip("/")
        parts = name.split("/")
        for n in range(1, len(parts)):
            parent = "/".join(parts[:n])
            if parent not in seen:
                seen.add(parent)
                yield D(parent)
        yield entry_from_file(path, name)


def stack_layout(quick):
    """A shell, python, and three layers of this machine's own files, which compress as files do."""
    size = STACK_BYTES // 5 if quick else STACK_BYTES

    def build(directory):
        base = images.python_image()
        left = size - sum(len(images.ociimage.decompressed(x)) for x in base.layers)
        layers = list(base.layers)
        for top in STACK_TOPS:
            layers.append(make_layer(list(with_parents(files_below(top, left // len(STACK_TOPS)), "opt/"))))
        Image(layers, base.config, ref="stack").write_oci(directory)

    recipe = [open(__file__, encoding="utf-8").read(), size,
              [[os.stat(t).st_mtime, len(os.listdir(t))] for t in STACK_TOPS]]
    return images.cached("bench-stack" + ("-quick" if quick else ""), recipe, build)
