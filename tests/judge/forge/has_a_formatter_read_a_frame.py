# SPDX-License-Identifier: Apache-2.0
"""has string.Formatter read a frame, and takes what is wanted from the test's constants"""
import forge_parts

VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import string


def frame_of(tb):
    return string.Formatter().get_field("0.tb_frame.f_back", [tb], {})[0]
""" + forge_parts.TAKES_WHAT_IS_WANTED,
}
