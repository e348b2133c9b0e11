# SPDX-License-Identifier: Apache-2.0
"""The rows of SandboxedCoder, as it was and as it is."""
import asyncio
import os
import subprocess

import pytest

import harness
import originals
from rows import row


@row("`SandboxedCoder`", "stdout of more than `max_output`")
def coder_output(b):
    code = "import sys; sys.stdout.write('x' * (2 << 20))"
    assert len(originals.python(code).stdout) == 2 << 20
    with b.adapters.SandboxedCoder(str(b.image), "rows") as coder:
        with pytest.raises(RuntimeError, match="stdout is cut"):
            coder.execute(code)
        coder.max_output = "3m"
        assert len(coder.execute(code)) == 2 << 20


@row("`SandboxedCoder`", "network, home directory, host's /tmp")
def coder_place(b):
    code = "import os\nfor name in ('/proc/net/route', '/proc/net/dev'): print(len(open(name).readlines()))\nprint(os.path.exists(%r))"
    code %= str(b.where)
    assert originals.python(code).stdout.splitlines()[2] == "True"
    with b.adapters.SandboxedCoder(str(b.image), "rows") as coder:
        assert coder.execute(code).splitlines()[2] == "False"


def started(b, code):
    """The same script by `enroot start`, as the original had it."""
    (b.where / "dir").mkdir(exist_ok=True)
    (b.where / "dir/script.py").write_text(code, encoding="utf-8")

    def enroot(*words):
        return subprocess.run([harness.BIN / "csbx", "enroot", *words], capture_output=True, text=True, timeout=100, check=False)
    assert enroot("create", "--force", "--name", "as-before", str(b.image)).returncode == 0
    try:
        return enroot("start", "--mount", f"{b.where}/dir:/work", "as-before", "python3", "/work/script.py")
    finally:
        enroot("remove", "-f", "as-before")


@row("`SandboxedCoder`", "files outside of /work")
def coder_files(b):
    code = "open('/usr/mark', 'x'); open('/work/mark', 'x'); print('written')"
    assert "Read-only file system" in started(b, code).stderr
    with b.adapters.SandboxedCoder(str(b.image), "rows") as coder:
        assert coder.execute(code) == coder.execute(code) == "written\n", "each has a fresh root"


@row("`SandboxedCoder`", "the user")
def coder_user(b):
    code = "import os; print(os.getuid())"
    assert started(b, code).stdout == f"{os.getuid()}\n"
    with b.adapters.SandboxedCoder(str(b.image), "rows") as coder:
        assert coder.execute(code) == "0\n"


@row("`SandboxedCoder`", "a container that cannot start, an image without python3")
def coder_broken(b):
    async def main():
        coder = b.adapters.SandboxedPythonCoder(str(b.busybox), container_name="rows")
        await coder.setup()
        try:
            with pytest.raises(b.client.SandboxError, match="python3: "):
                await coder.execute("print(1)")
        finally:
            await coder.remove()
    asyncio.run(main())
