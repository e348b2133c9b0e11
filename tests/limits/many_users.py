#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Twenty users with ten processes each: no user is over the limit of processes, together they are.
# needs: subuid
# options: --pids-limit 40 --timeout 20
# expect: success=false limits.pids.asked=40 wall_s<10
# expect-pids-rlimit: status=pids_limit exit=137 exit_code=null signal=9 max_pids>40
# expect-pids-cgroup2: status=exited exit=11 exit_code=11

import os
import sys
import time

for user in range(1000, 1020):
    try:
        if os.fork() == 0:
            os.setuid(user)
            for _ in range(9):
                if os.fork() == 0:
                    break
            time.sleep(15)
            os._exit(0)
    except OSError as e:
        sys.exit(e.errno)
time.sleep(15)
