# SPDX-License-Identifier: Apache-2.0
# Recurses until its stack is full.
# options: --ulimit stack=8388608 --memory 1g
# expect: status="signaled" exit=139 success=false signal=11 oom_killed=false
# expect eval: completed=false

import sys


class Endless:
    def __eq__(self, other):
        return self == other


sys.setrecursionlimit(10**9)
print(Endless() == Endless())
