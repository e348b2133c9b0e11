# SPDX-License-Identifier: Apache-2.0
# Fills a list until it holds 2 GB.
# expect: status="oom" exit=137 success=false exit_code=null signal=9 oom_killed=true memory_peak_bytes<1500000000

held = []
while len(held) < 2000:
    held.append(bytearray(b"x" * 1_000_000))
print("held it all")
