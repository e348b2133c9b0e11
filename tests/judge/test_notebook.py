# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.ipynb in a kernel of Jupyter, by Debian's nbclient: each cell prints what the file says."""
import json
import os
import subprocess
from pathlib import Path

import pytest

import harness

TOP = Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"  # the one that Debian's nbclient belongs to
RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient
with open(sys.argv[1], encoding="utf-8") as f:
    notebook = nbformat.read(f, as_version=4)
for cell in notebook.cells:
    if cell.cell_type == "code":
        cell.outputs = []
NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
print(json.dumps(notebook))
"""


def printed(notebook):
    """Of each cell of code, what it printed and the text of its value."""
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    return [("".join("".join(o["text"]) for o in c["outputs"] if o["output_type"] == "stream"),
             [o["data"]["text/plain"] for o in c["outputs"] if o["output_type"] == "execute_result"]) for c in cells]


def test_the_notebook(client, csbx, python_image):
    if subprocess.run([PYTHON, "-c", "import nbclient, ipykernel"], capture_output=True, check=False).returncode:
        pytest.skip("python3-nbclient or python3-ipykernel is not installed")
    notebook = TOP / "docs/tutorial.ipynb"
    kernel = csbx.work / "jupyter/kernels/python3"  # the machine's own kernelspec may be another Python's
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({"argv": [PYTHON, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                                                    "display_name": "Python 3", "language": "python"}))
    (csbx.work / "python.sqsh").symlink_to(python_image)
    env = {**os.environ, "PATH": f"{harness.BIN}:{os.environ['PATH']}", "PYTHONPATH": str(TOP / "cmd/python"),
           "PYTHONDONTWRITEBYTECODE": "1", "JUPYTER_PATH": str(csbx.work / "jupyter"),
           "JUPYTER_RUNTIME_DIR": str(csbx.work / "runtime"), "IPYTHONDIR": str(csbx.work / "ipython"),
           "JUPYTER_CONFIG_DIR": str(csbx.work / "config"), "TMPDIR": str(csbx.dirs["tmp"])}
    p = subprocess.run([PYTHON, "-c", RUN, notebook], cwd=csbx.work, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert p.returncode == 0, p.stderr[-3000:]
    said = printed(json.loads(p.stdout))
    assert said[0] == ("", ["'42\\n'"])
    assert [text for text, _ in said[1:]] == [text for text, _ in printed(json.loads(notebook.read_text(encoding="utf-8")))[1:]]
