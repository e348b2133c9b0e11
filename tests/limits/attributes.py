#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Extended attributes of files in a tmpfs take no block of it. If the kernel's tmpfs has none for users, bytes do.
# options: --memory 60m --tmpfs /t:size=4g
# expect: status=oom exit=137 oom_killed=true
# expect-memory-watchdog: detected=tick

import os
import time

for i in range(4000):
    with open(f"/t/{i}", "wb") as f:
        try:
            os.setxattr(f.fileno(), "user.x", bytes(60000))
        except OSError:
            f.write(bytes(60000))
time.sleep(4)
