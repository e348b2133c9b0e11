# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel (PEP 517, PEP 427). It needs nothing but Python, so `pip install` of this directory
works without a network and whichever setuptools, or none, a machine has. Unpacked, the package is
plain files: a wheel is a zip of them with their hashes.
"""
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
WHEEL = "Wheel-Version: 1.0\nGenerator: csbx\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _read(name):
    with open(os.path.join(HERE, name), "rb") as f:
        return f.read()


def _version():
    return re.search(r'^__version__ = "([^"]+)"', _read("csbx/__init__.py").decode(), re.M)[1]


def _sources():
    for here, dirs, names in os.walk(os.path.join(HERE, "csbx")):
        dirs[:] = sorted(d for d in dirs if d != "__pycache__")
        for name in sorted(names):
            if name.endswith(".py") or name == "py.typed":
                yield os.path.relpath(os.path.join(here, name), HERE)


def _metadata():
    return ("Metadata-Version: 2.1\nName: csbx\nVersion: " + _version() + "\n"
            "Summary: Run, judge and test code in unprivileged containers\n"
            "License: Apache-2.0\nRequires-Python: >=3.8\n"
            "Description-Content-Type: text/markdown\n\n" + _read("README.md").decode())


def _write_wheel(directory, files):
    info = "csbx-%s.dist-info/" % _version()
    files = dict(files)
    files[info + "METADATA"] = _metadata().encode()
    files[info + "WHEEL"] = WHEEL.encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (name, digest, len(data))
    files[info + "RECORD"] = (record + info + "RECORD,,\n").encode()
    wheel = "csbx-%s-py3-none-any.whl" % _version()
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # 1980: the same bytes from the same tree
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {name: _read(name) for name in _sources()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {"csbx_editable.pth": (HERE + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    top = "csbx-" + _version()
    with tarfile.open(os.path.join(sdist_directory, top + ".tar.gz"), "w:gz",
                      format=tarfile.PAX_FORMAT) as tar:
        for name in [*_sources(), "README.md", "pyproject.toml", "wheel_backend.py"]:
            tar.add(os.path.join(HERE, name), top + "/" + name, recursive=False)
        info = tarfile.TarInfo(top + "/PKG-INFO")
        info.size = len(_metadata().encode())
        tar.addfile(info, io.BytesIO(_metadata().encode()))
    return top + ".tar.gz"
