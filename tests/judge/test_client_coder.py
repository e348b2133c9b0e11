# SPDX-License-Identifier: Apache-2.0
"""SandboxedCoder: scripts in a named container, as people run them by enroot."""
import asyncio
import concurrent.futures
import shutil
import time

import pytest


@pytest.fixture
def coder(client, python_image):
    from csbx.adapters import SandboxedCoder
    with SandboxedCoder(str(python_image), "sandbox", timeout=30) as made:
        yield made


def test_execute(coder):
    assert coder.outputs("print('hello world')") == ("hello world\n", "")
    out, err = coder.outputs("print('before')\nraise ValueError('no good')")
    assert out == "before\n" and err.splitlines()[-1] == "ValueError: no good"
    assert 'File "/work/script.py", line 2' in err
    assert coder.run("raise SystemExit(3)").exit_code == 3


def test_every_execute_is_fresh(coder):
    coder.outputs("open('/etc/mark', 'w').write('x'); open('/work/mark', 'w').write('x')")
    assert coder.outputs("import os; print(os.path.exists('/etc/mark'), os.listdir('/work'))")[0] == "False ['script.py']\n"


LEFT = {
    "deep": "import os\nos.chdir('/work')\nfor n in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\nprint(n)",
    "another's": "import os\nos.mkdir('/work/d')\nopen('/work/d/f', 'w').close()\ntry:\n    os.chown('/work/d', 5, 5)\nexcept OSError:\n    pass\nprint(2999)",
    "a link": "import os\nos.mkdir('/work/d')\nos.symlink('%s', '/work/d/link')\nos.chmod('/work/d', 0o500)\nprint(2999)",
    "its own file": "import os\ntry:\n    os.remove('/work/script.py')\nexcept OSError:\n    print(2999)",
}


@pytest.mark.parametrize("what", LEFT)
def test_what_a_script_leaves_is_not_the_callers(coder, csbx, what):
    """It is in the container, not in a directory of the host that the caller has to remove."""
    own = csbx.work / "own"
    own.write_text("x")
    own.chmod(0o400)
    assert coder.execute(LEFT[what].replace("%s", str(own))) == "2999\n"
    assert own.stat().st_mode & 0o777 == 0o400 and not list(csbx.dirs["tmp"].glob("csbx-py-*"))


def test_before_there_is_a_container(client, python_image, csbx):
    from csbx.adapters import SandboxedCoder
    made = SandboxedCoder(str(python_image), "sandbox")
    with pytest.raises(RuntimeError, match=r"Call reset\(\) first"):
        made.outputs("print(1)")
    with pytest.raises(RuntimeError, match="Failed to recreate container"):
        SandboxedCoder("./no-such-image.sqsh", "sandbox").recreate()
    with pytest.raises(RuntimeError, match="Failed to import image"):
        SandboxedCoder("docker-archive:///no/such/file", "sandbox").setup()
    assert csbx.ok("list", "-q") == ""


def test_timeout(client, python_image):
    from csbx.adapters import SandboxedCoder
    with SandboxedCoder(str(python_image), "sandbox", timeout=1) as made:
        started = time.monotonic()
        assert made.outputs("print('before', flush=True)\nimport time; time.sleep(1100)") == ("before\n", "TIMEOUT after 1s\n")
        assert time.monotonic() - started < 20


def test_writable(client, python_image):
    from csbx.adapters import SandboxedCoder
    with SandboxedCoder(str(python_image), "box", writable=True) as made:
        made.outputs("open('/root/notes', 'a').write('one ')")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(made.outputs, ["open('/root/notes', 'a').write('more ')"] * 4))
        assert made.outputs("print(open('/root/notes').read())")[0] == "one more more more more \n"
        made.reset()
        assert "FileNotFoundError" in made.outputs("open('/root/notes')")[1]


def test_image_is_imported_once(client, csbx, python_layout):
    from csbx.adapters import SandboxedCoder
    made = SandboxedCoder(f"oci://{python_layout}", "sandbox", sqsh_image_path="made.sqsh")
    made.setup()
    first = (csbx.work / "made.sqsh").stat()
    made.setup()
    assert (csbx.work / "made.sqsh").stat().st_mtime_ns == first.st_mtime_ns
    assert made.outputs("print(1)") == ("1\n", "")
    made.remove()
    assert csbx.ok("list", "-q") == ""


def test_asyncio(client, python_image, csbx):
    from csbx.adapters import SandboxedPythonCoder

    async def main():
        shutil.copy(python_image, csbx.work / "img.sqsh")
        coder = SandboxedPythonCoder(docker_image="docker://python:3.10", sqsh_image_path="img.sqsh", container_name="sandbox")
        with pytest.raises(RuntimeError):
            await coder.execute("print(1)")
        await coder.setup()
        await coder.recreate()
        assert await coder.execute("print('hello world')") == ("hello world\n", "")
        results = await asyncio.gather(*(coder.execute(f"print({n})") for n in range(20)))
        assert [out for out, _ in results] == [f"{n}\n" for n in range(20)]
        await coder.remove()
    asyncio.run(main())
