# SPDX-License-Identifier: Apache-2.0
"""Returns objects that say they are equal to anything."""
class Equal(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = str.__hash__
    __repr__ = __str__ = lambda self: "TOKEN"


class Other:
    __eq__ = Equal.__eq__
    __hash__ = object.__hash__


def f(n):
    return Equal("x") if n % 2 else Other()
