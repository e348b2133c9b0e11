# SPDX-License-Identifier: Apache-2.0
"""csbx test tells of no patch beside what tests are run with, and of none of what is judged itself."""
import pytest

import repositories

WRONG = repositories.FILES["calc.py"]
RIGHT = WRONG.replace("a - b", "a + b")
WANTED = "import pytest\n\n\n@pytest.fixture\ndef wanted():\n    return 3\n"
TESTS = "from calc import add, mul\n\n\ndef test_add(%s):\n    assert add(1, 2) == %s\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n"
CLASS = ("import unittest\n\nfrom calc import Sums\n\n\nclass Test(Sums%s):\n    def test_add(self):\n        assert self.add(1, 2) == 3\n\n"
         "    def test_mul(self):\n        assert self.mul(2, 3) == 6\n")
SUMS = "class Sums:\n    def add(self, a, b):\n        return a - b\n\n    def mul(self, a, b):\n        return a * b\n"
ADDS = SUMS.replace("a - b", "a + b")
IDS = (repositories.TARGET, repositories.STILL)
METHODS = tuple(i.replace("::", "::Test::") for i in IDS)
ENTRY = {"pytest_calc.egg-info/PKG-INFO": "Metadata-Version: 1.0\nName: pytest-calc\nVersion: 1\n",
         "pytest_calc.egg-info/entry_points.txt": "[pytest11]\ncalc = plugin\n"}
FIRST = "import os\nimport sys\n\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'vendor'))\n"
PARSE = "from packaging.version import parse\n" + TESTS.replace("add(1, 2)", "parse(add(1, 2))")
VENDOR = {"vendor/packaging/__init__.py": "", "vendor/packaging/version.py": "def parse(x):\n    return str(x)\n", "conftest.py": FIRST}

# name: (the repository, what a right patch makes of it, ids)
CASES = {
    "a plugin that no patch changed": ({"lib.py": WANTED, "conftest.py": "pytest_plugins: list = ['lib']\n",
                                        "tests/test_calc.py": TESTS % ("wanted", "wanted")},
                                       {"calc.py": RIGHT}, IDS),
    "fixtures that no patch changed": ({"lib.py": WANTED, "conftest.py": "from lib import *\n", "tests/test_calc.py": TESTS % ("wanted", "wanted")},
                                       {"calc.py": RIGHT, "other.py": WANTED}, IDS),
    "a fixture that calls what is judged": ({"conftest.py": "import pytest\n\nimport calc\n\nmade = pytest.fixture(calc.made)\n",
                                             "calc.py": WRONG + "\n\ndef made():\n    return add(1, 2)\n",
                                             "tests/test_calc.py": TESTS % ("made", "made == 3")},
                                            {"calc.py": RIGHT + "\n\ndef made():\n    return add(1, 2)\n"}, IDS),
    "a plugin that an entry point names": (dict(ENTRY, **{"plugin.py": "import calc\n\n" + WANTED.replace("3", "calc.add(1, 2)"),
                                                          "tests/test_calc.py": TESTS % ("wanted", "wanted == 3")}),
                                           {"plugin.py": WANTED, "calc.py": RIGHT}, IDS),
    "a mixin without assertions": ({"calc.py": SUMS, "tests/test_calc.py": CLASS % ", unittest.TestCase"}, {"calc.py": ADDS}, METHODS),
    "a class without assertions": ({"calc.py": SUMS, "tests/test_calc.py": CLASS % ""}, {"calc.py": ADDS}, METHODS),
    "a mixin that moves": ({"calc.py": SUMS, "tests/test_calc.py": CLASS % ", unittest.TestCase"},
                           {"calc.py": "from sums import Sums\n", "sums.py": ADDS}, METHODS),
    "a package that was vendored before": (dict(VENDOR, **{"tests/test_calc.py": PARSE % ("", "'3'")}),
                                           {"calc.py": RIGHT, "vendor/packaging/new.py": "A = 1\n",
                                            "vendor/packaging/version.py": "def parse(x):\n    return repr(x)\n"}, IDS),
    "parts of packages with names of others": ({"impl/__init__.py": "", "tests/test_calc.py": TESTS % ("", "3")},
                                               {"calc.py": "from impl.packaging import add\nfrom impl.json import mul\n",
                                                "impl/packaging/__init__.py": RIGHT,
                                                "impl/json.py": WRONG, "docs/json.py": "", "docs/pluggy/__init__.py": ""}, IDS),
}


@pytest.mark.parametrize("name", CASES)
def test_right_patches(csbx, suite_image, name):
    repo, patch, (target, still) = CASES[name]
    judge = repositories.Judge(csbx, suite_image, dict({"calc.py": WRONG}, **repo))
    r = judge("--fail-to-pass", target, "--pass-to-pass", still, "--strict", "--patch", judge.patch(files=patch), code=0)
    assert r["resolved"] is True and r["tamper"] == [], (r["tamper"], r["stdout"])


def test_right_patch_of_a_mixin_of_unittest(csbx, suite_image):
    judge = repositories.Judge(csbx, suite_image, {"calc.py": SUMS, "test_sums.py": CLASS % ", unittest.TestCase"})
    r = judge("--runner", "unittest", "--fail-to-pass", "test_sums.Test.test_add", "--pass-to-pass", "test_sums.Test.test_mul", "--strict",
              "--patch", judge.patch(files={"calc.py": ADDS}), code=0)
    assert r["resolved"] is True and r["tamper"] == [], (r["tamper"], r["stdout"])
