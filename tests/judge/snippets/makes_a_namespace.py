# SPDX-License-Identifier: Apache-2.0
# Makes a user namespace, where it would have every capability.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="-1\n"
# expect eval: completed=true

import ctypes

CLONE_NEWUSER = 0x10000000
print(ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER))
