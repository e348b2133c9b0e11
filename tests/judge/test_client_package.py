# SPDX-License-Identifier: Apache-2.0
"""The Python package as a package: pip installs it, old and other Pythons read it."""
import ast
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "cmd/python"
SOURCES = sorted(PACKAGE.rglob("*.py"))


def test_pip_installs_it_without_a_network(csbx):
    source = csbx.work / "python"  # pip leaves a build directory in some versions
    shutil.copytree(PACKAGE, source)
    env = {**csbx.env, "PIP_NO_CACHE_DIR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_CONFIG_FILE": os.devnull,
           "PIP_INDEX_URL": "http://127.0.0.1:9/"}
    p = subprocess.run([sys.executable, "-m", "pip", "install", "--no-input", "--target", csbx.work / "site", source],
                       env=env, capture_output=True, text=True, timeout=300, check=False)
    assert p.returncode == 0, p.stdout + p.stderr
    site = csbx.work / "site"
    installed = sorted(x.relative_to(site / "csbx") for x in (site / "csbx").rglob("*") if x.suffix != ".pyc" and x.is_file())
    ours = sorted(x.relative_to(PACKAGE / "csbx") for x in (PACKAGE / "csbx").rglob("*") if x.suffix in (".py", ".typed"))
    assert installed == ours
    ask = "import csbx, importlib.metadata as m; print(csbx.__file__, m.version('csbx') == csbx.__version__)"
    p = subprocess.run([sys.executable, "-c", ask], env={**csbx.env, "PYTHONPATH": site}, cwd="/", capture_output=True,
                       text=True, timeout=60, check=True)
    assert p.stdout.split() == [str(site / "csbx/__init__.py"), "True"]


def backend():
    namespace = {"__file__": str(PACKAGE / "wheel_backend.py"), "__name__": "wheel_backend"}
    exec(compile((PACKAGE / "wheel_backend.py").read_text(encoding="utf-8"), "wheel_backend.py", "exec"), namespace)
    return namespace


def test_the_wheel_is_reproducible_and_lists_itself(tmp_path):
    made = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        made.append((tmp_path / name / backend()["build_wheel"](str(tmp_path / name))).read_bytes())
    assert made[0] == made[1]
    with zipfile.ZipFile(next((tmp_path / "a").iterdir())) as z:
        record = z.read(next(n for n in z.namelist() if n.endswith("RECORD"))).decode()
        assert {line.split(",")[0] for line in record.splitlines()} == set(z.namelist())


def test_version_is_that_of_csbx(client, csbx):
    assert client.__version__ in csbx.ok("version")


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.name)
def test_python_3_8_reads_it(path):
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    imported = {n.name.split(".")[0] for x in ast.walk(tree) if isinstance(x, ast.Import) for n in x.names}
    imported |= {x.module.split(".")[0] for x in ast.walk(tree) if isinstance(x, ast.ImportFrom) and not x.level}
    assert imported <= set(sys.stdlib_module_names) | {"typing_extensions"}  # the latter for type checkers only


def test_no_shell_and_no_code_run_here():
    for path in (PACKAGE / "csbx").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("exec", "eval", "compile", "__import__", "os.system", "os.popen", "subprocess.getoutput"), path
                assert not any(k.arg == "shell" for k in node.keywords), path


def test_the_images_python_reads_it(client, python_image):
    obj = {"status": "exited", "success": True, "exit_code": 0, "stdout": "x", "encoding": "utf-8"}
    program = ("import json, sys, csbx\nr = csbx.Result.from_dict(json.load(sys.stdin))\n"
               "try: csbx.run('x', ['true'])\nexcept csbx.NotInstalled: print(r.stdout, r.success)")
    result = client.run(python_image, ["python3", "-c", program], mounts=[f"{PACKAGE}:/package:ro"],
                        env={"PYTHONPATH": "/package"}, input=json.dumps(obj), check=True)
    assert result.stdout == "x True\n"
