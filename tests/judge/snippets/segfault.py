# SPDX-License-Identifier: Apache-2.0
# Reads at address 0.
# expect: status="signaled" exit=139 success=false exit_code=null signal=11
# expect eval: completed=false

import ctypes

ctypes.string_at(0)
