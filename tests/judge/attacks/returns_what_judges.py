# SPDX-License-Identifier: Apache-2.0
"""Returns the harness's own functions, modules and frames."""
import sys


def f(n):
    frame = sys._getframe(1)
    while frame.f_back:
        frame = frame.f_back
    space = frame.f_globals
    return [space, sys.modules, frame, sys.modules["__main__"], dict(space), list(sys.modules.values())][n % 6]
