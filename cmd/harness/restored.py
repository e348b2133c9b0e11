# SPDX-License-Identifier: Apache-2.0
# What a call did to its arguments is done to the check's own. For check.py, which compiles it when the first comes by.


def sent_by(question):
    """Objects that were arguments, by number."""
    if question.sent is None:
        question.sent, question.ids = {}, set()
        for number, value in question.numbers.values():
            is_sent = number is not None and number > 1 and value is not question.kwargs
            if is_sent and (question.reached is None or id(value) in question.reached):
                question.sent[number] = value
                question.ids.add(id(value))
    return question.sent


def argument_here(question, number):
    sent = sent_by(question) if question is not None else {}
    if type(number) is not int or number not in sent:
        raise ValueError("no argument")
    return sent[number]


def is_argument(question, value):
    return sent_by(question) and id(value) in question.ids


def check_change(question, old, new):
    """A new one of the same type has what the argument is to have, and could be made of it."""
    kind = type(old)
    if kind is type(new) and (kind in (list, dict, set) or "MADE" in needed and is_changing(old, kind)) and not is_argument(question, new):
        if (name_of(kind) != "deque" or old.maxlen == new.maxlen) and (name_of(kind) != "array" or old.typecode == new.typecode):
            return
    raise ValueError("another value than it was")


def has_same_keys(old, new):
    return len(old) == len(new) and all(map(is_same_object, old, new))


def is_same_object(one, other):
    if one is other or type(one) is not type(other):
        return one is other
    return has_same_keys(one, other) if type(one) is tuple else type(one) in LEAVES and one == other


def change(old, new):
    """Without a call of what it has. A key has been hashed, and compared, when the new one was made. What the check goes through by an
    iterator stays in its place where the call has left it there."""
    kind = type(old)
    name = name_of(kind)
    if kind is list or kind is bytearray or name == "array":
        old[:] = new
    elif kind is set:
        change_set(old, new)
    elif name == "deque":
        change_deque(old, new)
    else:
        if name == "defaultdict":
            old.default_factory = new.default_factory
        change_dict(old, new, sys.modules["collections"].OrderedDict if name == "OrderedDict" else dict)


def change_set(old, new):
    order = list(new)
    set.clear(old)
    set.update(old, new)
    if order and type(order[0]) is int and list(old) != order:
        in_order(old, order)


def change_deque(old, new):
    if len(old) != len(new):
        old.clear()
        old.extend(new)
    for n, value in enumerate(new):
        old[n] = value


def change_dict(old, new, kind):
    if not has_same_keys(old, new):
        kind.clear(old)
    for key in new:
        kind.__setitem__(old, key, kind.__getitem__(new, key))


def check_meanwhile(question):
    """The change of another call that was under way, or of the check itself, would be lost."""
    name, args, kwargs = question.told
    again = Teller(is_argument=True)
    again.put([name, list(args), kwargs])
    if b"".join(again.out) != question.question:
        raise ValueError("an argument has changed in the check since the call began, which cannot be judged")


def restore(question, changes):
    try:
        if not all(type(each) is tuple and len(each) == 2 for each in changes):
            raise ValueError("no change")
        if changes:
            check_meanwhile(question)
        targets = [(argument_here(question, number), new) for number, new in changes]
        if len({id(old) for old, _ in targets}) != len(targets):
            raise ValueError("one argument twice")
        for old, new in targets:
            if new is None:
                raise ValueError("a %s of the snippet is another now, which cannot be judged" % name_of(type(old)))
            check_change(question, old, new)
        for old, new in targets:
            change(old, new)
    except Exception as why:
        CALLER.fail("what it did to its arguments is no value: %s" % why)
