# SPDX-License-Identifier: Apache-2.0
"""Raises an exception that claims to be of every type."""
class ValueError_(ValueError, KeyError, RuntimeError, OverflowError):
    """Caught by nearly every except."""


def f(n):
    error = ValueError_("TOKEN")
    if n % 2:
        error.__class__.__name__ = "Everything"
    raise error
