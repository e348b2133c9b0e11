#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Fills a tmpfs that is larger than the memory limit.
# options: --memory 80m --tmpfs /scratch:size=1g
# expect: status=oom exit=137 oom_killed=true

import time

with open("/scratch/big", "wb", buffering=0) as f:
    for _ in range(300):
        f.write(bytes(1 << 20))
time.sleep(20)
