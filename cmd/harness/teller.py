# SPDX-License-Identifier: Apache-2.0
# What asserting code and a snippet tell each other, for the files of both. Most of it is lists of numbers and texts: code for other values
# (made.py, told.py, objects.py) is a text here, which is compiled when the first of them comes by.
LEAVES = frozenset((type(None), bool, int, float, complex, str, bytes))
PLAIN_FUNCTION = type(put)
Function = argument_parts = Instance = None  # of check.py, and objects.py
find = None  # of cases.py
STANDING = ()  # the classes of classes that stand for those of a snippet: told.py
SPACE = {}  # the snippet's names, where it runs
needed = set()  # the names of those texts that are compiled


def need(name):
    if name not in needed:
        needed.add(name)
        exec(compile(globals()[name], HARNESS, "exec", dont_inherit=True), globals())


def are_leaves(items):
    return all(type(item) in LEAVES for item in items)


def make(name, part):
    need("MADE")
    return MAKERS[name](part)


Reader.make = staticmethod(make)


class Teller(object):
    """
    Tells values as what they are. A list, dict, set or made value that is there twice is told once: they are numbered as they begin.
    """
    has_made = False

    def __init__(self, is_argument=False):
        self.out, self.numbers, self.n, self.is_argument = [], {}, 0, is_argument

    def begin(self, value, is_made=False):
        self.numbers[id(value)] = [None if is_made else self.n, value]
        self.n += 1

    def put(self, value, depth=0):
        kind = type(value)
        if kind in LEAVES:
            put(self.out, value)
        elif depth > DEPTH_MAX:
            raise Unfit("it is nested more than %d deep" % DEPTH_MAX)
        elif kind is tuple:
            self.put_items(b"t", value, depth)
        elif id(value) in self.numbers:
            self.put_same(self.numbers[id(value)][0])
        elif kind is list or kind is set:
            self.begin(value)
            self.put_items(b"l" if kind is list else b"e", value, depth)
        elif kind is dict:
            self.begin(value)
            self.out.append(b"d%d:" % len(value))
            for key, item in list(value.items()):
                self.put(key, depth + 1)
                self.put(item, depth + 1)
        elif kind is range and all(map(is_of_64_bits, (value.start, value.stop, value.step))):
            put(self.out, value)
        else:
            self.put_made(value, kind, depth)

    def put_items(self, tag, value, depth):
        if len(value) > ITEMS_MAX:
            raise Unfit("it has more than a million values")
        self.out.append(b"%s%d:" % (tag, len(value)))
        for item in list(value):
            self.put(item, depth + 1)

    def put_same(self, number):
        if number is None:
            raise Unfit("it holds itself")
        self.n += 1
        self.out.append(b"xs4:samei%d;" % number)

    def put_made(self, value, kind, depth):
        need("MADE")
        made = argument_parts(value, kind) if self.is_argument else parts_of(value, kind)
        if made[0] == "made":
            self.has_made = True
        number = self.n
        self.begin(value, True)
        self.out.append(b"x")
        put_text(self.out, made[0])
        self.put(made[1], depth + 1)
        self.numbers[id(value)][0] = number
        self.numbers[id(made)] = [None, made]  # not to be taken for another that is where it was


def told_literal(value):
    teller = Teller()
    teller.put(value)
    return b"".join(teller.out)
