# SPDX-License-Identifier: Apache-2.0
"""runs a pytest of its own in another process, with all descriptors handed on"""
VERDICT = "unresolved"
FILES = {
    "calc.py": r"""
def add(a, b):
    import os
    import subprocess
    import sys
    import tempfile
    with tempfile.TemporaryDirectory() as d:
        os.makedirs(d + "/tests")
        with open(d + "/tests/test_calc.py", "w") as f:
            f.write("def test_add(): pass\ndef test_mul(): pass\n")
        fds = [int(n) for n in os.listdir("/proc/self/fd") if int(n) > 2]
        alive = []
        for fd in fds:
            try:
                os.set_inheritable(fd, True)
                alive.append(fd)
            except OSError:
                pass
        subprocess.run([sys.executable, "/run/csbx-harness/csbx_test.py"], cwd=d, pass_fds=alive, check=False)
        subprocess.run([sys.executable, "-m", "pytest", "tests"], cwd=d, pass_fds=alive, check=False)
    os._exit(0)


def mul(a, b):
    return a * b
""",
}
