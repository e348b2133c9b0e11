# SPDX-License-Identifier: Apache-2.0
# Writes for ever.
# options: --max-output-kill 1m
# expect: status="output_limit" exit=137 success=false signal=9 truncated.stderr=false

import sys

while True:
    sys.stdout.write("y" * 100 + "\n")
