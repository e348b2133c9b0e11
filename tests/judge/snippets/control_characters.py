# SPDX-License-Identifier: Apache-2.0
# Writes NULs, terminal controls and quotes.
# expect: status="exited" exit=0 success=true exit_code=0 encoding="utf-8" stdout="\u0000\u001b[2J\"\\\n"
# expect eval: completed=true

print("\0\x1b[2J\"\\")
