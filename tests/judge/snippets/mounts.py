# SPDX-License-Identifier: Apache-2.0
# Mounts a file system.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="-1 True\n"
# expect eval: completed=true

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)
print(libc.mount(b"tmpfs", b"/mnt", b"tmpfs", 0, None), ctypes.get_errno() in (errno.EPERM, errno.ENOSYS))
