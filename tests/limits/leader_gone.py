#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Ends its first thread and fills memory in another: the process is a zombie that lives, and shows no memory.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true memory_peak_bytes>50000000
# expect-memory-watchdog: detected=tick

import ctypes
import os
import threading
import time

EXIT = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
held = []


def fill():
    time.sleep(0.2)
    for _ in range(200):
        held.append(b"x" * (1 << 20))
        time.sleep(0.001)
    time.sleep(4)
    os._exit(0)


threading.Thread(target=fill, daemon=True).start()
ctypes.CDLL(None).syscall(EXIT, 0)
