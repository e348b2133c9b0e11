#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Sleeps.
# options: --timeout 0.3
# expect: status=timeout exit=124 timed_out=true timeout_s=0.3 exit_code=null signal=15 wall_s<8

import time

time.sleep(60)
