#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# System V message queues, each as full as it may be: memory of the kernel's that shows in no process.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import ctypes
import time

libc = ctypes.CDLL(None, use_errno=True)
IPC_PRIVATE, IPC_CREAT, IPC_NOWAIT = 0, 0o1000, 0o4000
message = ctypes.create_string_buffer(b"\1" + bytes(8 + 8000))
for _ in range(16000):
    queue = libc.msgget(IPC_PRIVATE, IPC_CREAT | 0o600)
    assert queue >= 0, ctypes.get_errno()
    while libc.msgsnd(queue, message, ctypes.c_size_t(8000), IPC_NOWAIT) == 0:
        pass
time.sleep(4)
