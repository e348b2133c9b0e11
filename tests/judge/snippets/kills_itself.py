# SPDX-License-Identifier: Apache-2.0
# Sends itself SIGKILL: a signal, not a limit.
# expect: status="signaled" exit=137 success=false signal=9 oom_killed=false timed_out=false
# expect eval: completed=false

import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
