#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Touches a SysV shared memory segment and detaches it: no process maps it, it is there all the
# same.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true

import ctypes
import time

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmdt.argtypes = [ctypes.c_void_p]
SIZE = 200 << 20
IPC_PRIVATE, IPC_CREAT = 0, 0o1000
segment = libc.shmget(IPC_PRIVATE, ctypes.c_size_t(SIZE), IPC_CREAT | 0o600)
assert segment >= 0, ctypes.get_errno()
address = libc.shmat(segment, None, 0)
ctypes.memset(address, 1, SIZE)
libc.shmdt(address)
time.sleep(20)
