# SPDX-License-Identifier: Apache-2.0
"""Notes who was asked for modules: a finder of a patch can say once that a library is not there, and take itself away. Tests skip themselves then.

The functions are the core's. They run no code of what they look at.
"""
import builtins
import operator
import sys
import types

from csbx_state import class_names, functions_in
from csbx_ways import IDENTITY

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours


def make_finders_watch():
    """is_another(): true, at an import, when the finders or the hooks for paths are others than at the last one. Nothing is asked of them: it is
    called before the core runs."""
    system, seen, _list, _type, identity, size, _dict = vars(sys), [[], []], list, type, IDENTITY, len, dict
    map_to, any_of, is_not, together, get, values, unreadable = map, any, operator.is_not, zip, dict.get, dict.values, RuntimeError
    known, kept, _set = set(), [], set  # by their identities, as a class can have a hash of its own

    def are_new(cache):
        kinds = _list(map_to(_type, _list(values(cache))))
        if _set(map_to(identity, kinds)) <= known:
            return False
        known.update(map_to(identity, kinds))
        kept.extend(kinds)
        return True

    def is_another():
        lists, cache = [get(system, "meta_path"), get(system, "path_hooks")], get(system, "path_importer_cache")
        if _type(lists[0]) is not _list or _type(lists[1]) is not _list or _type(cache) is not _dict:
            return True
        try:
            were_new = are_new(cache)
        except unreadable:
            were_new = True
        was, seen[:] = seen[:], map_to(_list, lists)
        return were_new or any_of([size(a) != size(b) or any_of(map_to(is_not, a, b)) for a, b in together(was, seen)])
    return is_another


def make_finders(is_code):
    """(note(), culprit()): note() looks at the finders that there are; culprit() is the name of one of a patch or the run that came before
    Python's own, or of one of Python's that was taken away; or None."""
    system, noted, members, functions_of, _type, _list = vars(sys), [], class_names, functions_in, type, list
    first, hooks = _list(sys.meta_path), _list(sys.path_hooks)
    own = [f for f in first if getattr(f, "__module__", "").startswith(("_frozen_importlib", "importlib"))]
    mro, function_type, subclass, any_of = type.__dict__["__mro__"].__get__, types.FunctionType, issubclass, any
    highest, numbered = max, enumerate
    method_type, list_type, dict_type, unreadable = types.MethodType, list, dict, (RuntimeError, TypeError)

    def is_strange(finder):
        if _type(finder) is method_type:
            finder = finder.__func__
        if _type(finder) is function_type:
            return not is_code(finder.__code__)
        kind = finder if subclass(_type(finder), type) else _type(finder)
        made = [f for base in mro(kind) for part in _list(members(base).values()) for f in functions_of(part)]
        return any_of([not is_code(f.__code__) for f in made])

    def lies_before(finders, others):
        """Those of a patch that are asked before one of Python's; others: these."""
        last = highest([at for at, f in numbered(finders) if any_of([f is o for o in others])] or [-1])
        return [f for f in finders[:last] if is_strange(f)]

    def look():
        finders, paths, cache = system.get("meta_path"), system.get("path_hooks"), system.get("path_importer_cache")
        if _type(finders) is not list_type or _type(paths) is not list_type or _type(cache) is not dict_type:
            return "sys.meta_path, sys.path_hooks or sys.path_importer_cache is another"
        finders, paths = _list(finders), _list(paths)
        if any_of([not any_of([f is now for now in finders]) for f in own]) or any_of([not any_of([h is now for now in paths]) for h in hooks]):
            return "a finder of Python was taken away"
        if lies_before(finders, own) or lies_before(paths, hooks) or any_of([is_strange(f) for f in _list(cache.values()) if f is not None]):
            return "a finder of a patch was asked for modules"
        return None

    def note():
        try:
            found = look()
        except unreadable:
            found = "sys.meta_path is another"
        if found is not None and not noted:
            noted.append(found)

    def culprit():
        note()
        return noted[0] if noted else None
    return note, culprit
