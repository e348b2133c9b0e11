# SPDX-License-Identifier: Apache-2.0
"""is given frames by what the library makes a text of a stack of"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import traceback
got = []
class S(traceback.StackSummary):
    @classmethod
    def _extract_from_extended_frame_gen(klass, frame_gen, **k):
        for f, lines in frame_gen:
            got.append(f)          # real frames, up to csbx_test.main
        return klass()
S.extract(traceback.walk_stack(None))
def add(a, b):
    return len(got) and a + b
def mul(a, b):
    return a * b
""",
}
