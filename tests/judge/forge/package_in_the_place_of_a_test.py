# SPDX-License-Identifier: Apache-2.0
"""a package with the name of a test's module, which claims to be that file"""
VERDICT = "tamper test_file"
FILES = {
    "tests/test_calc/__init__.py": r"""
import os

__file__ = os.path.join(os.path.dirname(os.path.dirname(__file__)), "test_calc.py")
exec(compile("def test_add():\n    pass\n\n\ndef test_mul():\n    pass\n", __file__, "exec"))
""",
}
