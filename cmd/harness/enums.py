# SPDX-License-Identifier: Apache-2.0
# Enumerations of the snippet that asserting code goes through. For check.py, which compiles it when the first comes by.
need("TOLD")
GONE_THROUGH = {}  # by class: its members by their names, and the names that it is gone through by


def is_enum_here(cls):
    """By what was told of it. A class of the class's own (EnumMeta) that says what is in it is told apart there: about()."""
    path, keys, is_plain_class = told_of(cls)
    return path is not None and is_plain_class and "enum.Enum" in keys


def members_of(cls):
    """They are asked for once: an enumeration stays as it is."""
    if not is_enum_here(cls):
        refuse_class(cls)
    if cls not in GONE_THROUGH:
        path = told_of(cls)[0]
        by_name, names = look_up(path + "._member_map_"), look_up(path + "._member_names_")
        if type(by_name) is not dict or type(names) is not list or not all(type(name) is str and name in by_name for name in names):
            refuse_class(cls)
        if not all(type(name) is str and type(member) is cls for name, member in by_name.items()):
            refuse_class(cls)
        GONE_THROUGH[cls] = by_name, [by_name[name] for name in names]
    return GONE_THROUGH[cls]


def holds(cls, value):
    """`in`. What it means of a value that is no member differs between versions of Python."""
    by_name, _ = members_of(cls)
    if not any(value is member for member in by_name.values()):
        if type(type(value)) not in STANDING or type(value) is cls:
            refuse_class(cls)
        return False
    return True


GOING = {"__iter__": lambda cls: iter(members_of(cls)[1]), "__reversed__": lambda cls: reversed(members_of(cls)[1]),
         "__len__": lambda cls: len(members_of(cls)[1]), "__getitem__": lambda cls, name: members_of(cls)[0][name], "__contains__": holds,
         "__members__": lambda cls: type(vars(type))(members_of(cls)[0])}


# --- members that are numbers or texts as well -----------------------------------------------------------------------------------


def member_told(value, name):
    """(name, what str() and format() of it are), of one that is there once."""
    _, member, texts = TEXTS_OF_MEMBERS.get(id(value), (None, None, None))
    if member is None or MEMBERS.get((type(value), member)) is not value:
        CALLER.fail("%s of a %s of the snippet cannot be judged" % (name, name_of(type(value))))
    return member, texts


def text_of_member(value, name, n, is_plain=True):
    texts = member_told(value, name)[1]
    return texts[n] if texts and is_plain else CALLER.fail("%s of a %s of the snippet cannot be judged" % (name, name_of(type(value))))


def member_itself(value, *memo):
    return member_told(value, "a copy") and value


WAYS_OF_MEMBERS = {"__str__": lambda value: text_of_member(value, "__str__", 0), "__copy__": member_itself, "__deepcopy__": member_itself,
                   "__format__": lambda value, how: text_of_member(value, "__format__", 1, not how),
                   "__reduce_ex__": lambda value, protocol: (again, ("number", type(value), member_told(value, "a copy")[0]))}
