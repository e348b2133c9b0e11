# SPDX-License-Identifier: Apache-2.0
"""Rows of the table of differences: what each needs, and the list that they are put into."""
ROWS = {}


def row(interface, what):
    def note(function):
        ROWS[interface, what] = function
        return function
    return note


class Both:
    """The things that the rows need: the adapters, told of the images."""

    def __init__(self, client, image, judge=None, where=None, busybox=None):
        from csbx import adapters
        self.client, self.image, self.judge, self.where, self.busybox, self.adapters = client, image, judge, where, busybox, adapters

    def run(self, code, **named):
        return self.adapters.execute_code(code, timeout=30, image=self.image, **named)

    def sandbox(self, **named):
        return self.adapters.CodeSandbox(image=self.image, timeout=30, **named)

    def passed(self, code, *cases):
        """Verdicts on f, of the cases of originals.py, or of a dict of arguments of TestCase."""
        made = [self.adapters.TestCase(str(n), **c) if isinstance(c, dict) else self.adapters.TestCase(str(n), *[c[0], None, *c[1:]])
                for n, c in enumerate(cases)]
        return [t["passed"] for t in self.sandbox().run(code, "f", made).test_results]

    def executor(self, **named):
        return self.adapters.SandboxExecutor(str(self.judge.image), timeout=100, **named)
