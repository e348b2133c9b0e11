# SPDX-License-Identifier: Apache-2.0
# Stops itself and waits for somebody to go on.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true wall_s<6

import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)
