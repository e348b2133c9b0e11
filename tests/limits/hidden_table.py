#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# A thread with a table of descriptors of its own fills a memfd that no other thread has.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import ctypes
import os
import threading
import time

CLONE_FILES = 0x400
libc = ctypes.CDLL(None, use_errno=True)


def fill():
    assert libc.unshare(CLONE_FILES) == 0, ctypes.get_errno()
    fd = os.memfd_create("hidden")
    for _ in range(400):
        os.write(fd, bytes(1 << 20))
        time.sleep(0.001)
    time.sleep(4)


for _ in range(50):
    threading.Thread(target=time.sleep, args=(300,), daemon=True).start()
filler = threading.Thread(target=fill, daemon=True)
filler.start()
filler.join()
