#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Fills a throw-away layer in memory that is larger than the memory limit.
# needs: tmpfs-xattr
# options: --memory 80m --upper-size 1g
# expect: status=oom exit=137 oom_killed=true

import time

with open("/big", "wb", buffering=0) as f:
    for _ in range(300):
        f.write(bytes(1 << 20))
time.sleep(20)
