# SPDX-License-Identifier: Apache-2.0
"""is given a frame by logging, which prints a stack with it"""
VERDICT = "tamper frame_search"
FILES = {
    "calc.py": r"""
import logging
import traceback

real, got = traceback.print_stack, []


def spy(frame, *args, **more):
    got.append(frame)
    return real(frame, *args, **more)


traceback.print_stack = spy
logging.getLogger("calc").warning("here", stack_info=True)
traceback.print_stack = real


def add(a, b):
    return len(got) and a + b


def mul(a, b):
    return a * b
""",
}
