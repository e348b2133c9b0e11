# SPDX-License-Identifier: Apache-2.0
"""Kills every process it may, the harness among them."""
import os
import signal


def f(_):
    os.kill(-1, signal.SIGKILL)
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(1, signal.SIGKILL)
