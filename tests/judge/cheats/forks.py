# SPDX-License-Identifier: Apache-2.0
"""Comes back twice from one call."""
import os


def f(_):
    os.fork()
    return "anything"
