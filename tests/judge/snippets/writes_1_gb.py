# SPDX-License-Identifier: Apache-2.0
# Writes 1 GB to a file, which lies in memory.
# options: --timeout 30
# expect: status="oom" exit=137 success=false exit_code=null signal=9 oom_killed=true
# expect run: stdout=""

with open("big", "wb", buffering=0) as f:
    for _ in range(1000):
        f.write(b"x" * 1_000_000)
print("wrote it all")
