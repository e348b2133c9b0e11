#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Asks for 2 GiB in one allocation and touches all of it as fast as it can.
# options: --memory 200m
# expect: status=oom exit=137 exit_code=null signal=9 oom_killed=true memory_peak_bytes<1500000000

held = b"x" * (2 << 30)
print("held all of it")
