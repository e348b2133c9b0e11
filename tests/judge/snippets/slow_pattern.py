# SPDX-License-Identifier: Apache-2.0
# A regular expression that takes exponential time.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true

import re

re.match("(a+)+$", "a" * 60 + "!")
