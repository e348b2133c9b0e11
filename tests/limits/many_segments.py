#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Three thousand small SysV segments, and a large one behind them in the list.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import ctypes
import time

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmdt.argtypes = [ctypes.c_void_p]
SIZE = 200 << 20
IPC_PRIVATE, IPC_CREAT = 0, 0o1000
for _ in range(3000):
    assert libc.shmget(IPC_PRIVATE, ctypes.c_size_t(4096), IPC_CREAT | 0o600) >= 0, ctypes.get_errno()
segment = libc.shmget(IPC_PRIVATE, ctypes.c_size_t(SIZE), IPC_CREAT | 0o600)
assert segment >= 0, ctypes.get_errno()
address = libc.shmat(segment, None, 0)
ctypes.memset(address, 1, SIZE)
libc.shmdt(address)
time.sleep(4)
