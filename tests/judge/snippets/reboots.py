# SPDX-License-Identifier: Apache-2.0
# Asks the kernel to reboot.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="-1\n"
# expect eval: completed=true

import ctypes

print(ctypes.CDLL(None, use_errno=True).reboot(0x1234567))
