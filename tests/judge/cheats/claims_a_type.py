# SPDX-License-Identifier: Apache-2.0
"""Returns objects of types that are named like others."""
class str(bytes):  # pylint: disable=redefined-builtin
    """Not a str."""


def f(_):
    return str(b"TOKEN")
