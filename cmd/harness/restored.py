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
    if new is None:
        if type(kind) in STANDING and call_of(old, kind):
            return
    elif kind is type(new) and (kind in (list, dict, set) or "MADE" in needed and is_changing(old, kind)) and not is_argument(question, new):
        if (name_of(kind) != "deque" or old.maxlen == new.maxlen) and (name_of(kind) != "array" or old.typecode == new.typecode):
            return
    raise ValueError("another value than it was")


def change(old, new):
    """Without a call of what it has. A key has been hashed, and compared, when the new one was made."""
    kind = type(old)
    name = name_of(kind)
    if new is None:
        spoil(old, kind)
    elif kind is list or kind is bytearray or name == "array":
        old[:] = new
    elif kind is set:
        set.clear(old)
        set.update(old, new)
        order = list(new)
        if order and type(order[0]) is int and list(old) != order:
            in_order(old, order)
    elif name == "deque":
        old.clear()
        old.extend(new)
    elif name == "OrderedDict":
        old.clear()
        for key in new:
            old[key] = new[key]
    else:
        if name == "defaultdict":
            old.default_factory = new.default_factory
        dict.clear(old)
        dict.update(old, new)


def spoil(value, kind):
    """An object that the snippet would make once more: as it was before the call."""
    if type(kind) is not Untold:
        raise ValueError("a %s of the snippet is changed, which cannot be judged" % name_of(kind))
    spoil_untold(value)


def restore(question, changes):
    try:
        if not all(type(each) is tuple and len(each) == 2 for each in changes):
            raise ValueError("no change")
        targets = [(argument_here(question, number), new) for number, new in changes]
        if len({id(old) for old, _ in targets}) != len(targets):
            raise ValueError("one argument twice")
        for old, new in targets:
            check_change(question, old, new)
        for old, new in targets:
            change(old, new)
    except Exception as why:
        CALLER.fail("what it did to its arguments is no value: %s" % why)
