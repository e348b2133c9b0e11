# SPDX-License-Identifier: Apache-2.0
# Waits for somebody at the other end of a FIFO.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true

import os

os.mkfifo("fifo")
open("fifo", encoding="utf-8")
