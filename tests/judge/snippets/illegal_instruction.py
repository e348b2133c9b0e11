# SPDX-License-Identifier: Apache-2.0
# Ends by SIGILL.
# expect: status="signaled" exit=132 success=false signal=4
# expect eval: completed=false

import signal

signal.raise_signal(signal.SIGILL)
