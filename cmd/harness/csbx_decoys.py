# SPDX-License-Identifier: Apache-2.0
"""Calls that fail. They have a file of their own because pytest parses the file of every failure that it reports."""
import builtins
import functools
import unittest

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours


def asserts():
    assert not WAYS, "a decoy"


def raises(pytest):
    with pytest.raises(ValueError):
        pass


WAYS = (asserts, raises)


def ways(pytest):
    case = unittest.TestCase()
    return (asserts, functools.partial(raises, pytest), functools.partial(pytest.fail, "a decoy"),
            functools.partial(case.assertEqual, 1, 2), functools.partial(case.assertTrue, 0))
