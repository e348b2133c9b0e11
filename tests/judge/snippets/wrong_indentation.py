# SPDX-License-Identifier: Apache-2.0
# Is indented wrongly.
# expect: exit=1 success=false stderr*="IndentationError"

def f():
return 1
