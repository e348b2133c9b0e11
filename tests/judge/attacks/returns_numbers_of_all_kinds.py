# SPDX-License-Identifier: Apache-2.0
"""Returns what is equal to much: infinities, NaN, signed zeros, decimals, dates, views."""
import datetime
import decimal
import fractions


def f(n):
    return [float("nan"), -0.0, float("inf"), decimal.Decimal("NaN"), datetime.datetime.max, fractions.Fraction(1, 3), range(3), {}.keys(), 1j, Ellipsis,
            NotImplemented, memoryview(b"TOKEN"), type, None][n % 14]
