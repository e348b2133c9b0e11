#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Leaks 4 MiB every 2 ms.
# options: --memory 100m
# expect: status=oom exit=137 exit_code=null signal=9 oom_killed=true success=false
# expect: memory_limit_bytes=104857600 memory_peak_bytes>100000000 wall_s<20

import time

leaked = []
while True:
    leaked.append(bytearray(4 << 20))
    time.sleep(0.002)
