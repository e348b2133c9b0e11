# SPDX-License-Identifier: Apache-2.0
# Is no Python.
# expect: exit=1 success=false stderr*="SyntaxError"

def f(:
    return 1
