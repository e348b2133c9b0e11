# SPDX-License-Identifier: Apache-2.0
# Ignores the request to end.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true wall_s<6

import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    time.sleep(60)
