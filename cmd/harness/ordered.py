# SPDX-License-Identifier: Apache-2.0
# The order of sets of a snippet, as asserting code may see it. For check.py, which compiles it when the first comes by that is in another.
SETS = []  # that were put in order


def set_in_order(value, items):
    """
    A set of whole numbers goes by their order in its table, whose size is that of the most that it has had. items: as they came there.
    """
    if len(items) > 10000 or len(SETS) > 100 or not all(type(item) is int for item in items):
        return
    SETS.append(None)
    for n in 0, 6, 24, 96, 384, 1536, 0:
        for added in items, items[::-1]:
            value.clear()
            value.update(range(-n, 0))
            for item in range(-n, 0):
                value.discard(item)
            value.update(added)
            if list(value) == items:
                return
