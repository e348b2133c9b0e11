# SPDX-License-Identifier: Apache-2.0
"""a package that the standard library tries to import, and that no image has"""
VERDICT = "unresolved"
FILES = {
    "org/python/core.py": r"""
import builtins

build = builtins.__build_class__


class PyStringMap:
    copy = None


def watch(body, name, *bases, **more):
    made = build(body, name, *bases, **more)
    if name == "TestReport":
        first = made.from_item_and_call.__func__

        def make(cls, item, call):
            call.excinfo = None
            return first(cls, item, call)
        made.from_item_and_call, builtins.__build_class__ = classmethod(make), build
    return made


builtins.__build_class__ = watch
""",
}
