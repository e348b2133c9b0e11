# SPDX-License-Identifier: Apache-2.0
# Writes to stderr only, which is no failure.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="" stderr="careful\n"
# expect eval: completed=true

import sys

print("careful", file=sys.stderr)
