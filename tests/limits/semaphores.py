#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Sets of System V semaphores: each semaphore is 64 bytes of the kernel's, and shows in no process.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import ctypes
import time

libc = ctypes.CDLL(None, use_errno=True)
IPC_PRIVATE, IPC_CREAT = 0, 0o1000
for _ in range(150):
    assert libc.semget(IPC_PRIVATE, 32000, IPC_CREAT | 0o600) >= 0, ctypes.get_errno()
    time.sleep(0.005)
time.sleep(4)
