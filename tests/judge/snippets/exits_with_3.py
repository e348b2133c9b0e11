# SPDX-License-Identifier: Apache-2.0
# Leaves with a code of its own.
# expect: status="exited" exit=3 success=false exit_code=3
# expect eval: completed=false

raise SystemExit(3)
