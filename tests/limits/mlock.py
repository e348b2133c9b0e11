#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Locks what it may into memory and touches more than the limit.
# options: --memory 60m
# expect: status=oom exit=137 oom_killed=true

import ctypes
import resource
import time

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]
libc.mlock.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
SIZE, PROT_READ, PROT_WRITE, MAP_PRIVATE, MAP_ANONYMOUS = 200 << 20, 1, 2, 2, 0x20
address = libc.mmap(None, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
resource.setrlimit(resource.RLIMIT_MEMLOCK, (hard, hard))
libc.mlock(address, SIZE)  # refused above RLIMIT_MEMLOCK; what follows counts either way
ctypes.memset(address, 1, SIZE)
time.sleep(20)
