# SPDX-License-Identifier: Apache-2.0
# Writes to stderr for ever.
# options: --max-output-kill 1m
# expect: status="output_limit" exit=137 success=false signal=9 stdout_bytes=0

import sys

while True:
    sys.stderr.write("y" * 100 + "\n")
