# SPDX-License-Identifier: Apache-2.0
# Writes a million lines, of which head and tail are kept.
# options: --timeout 60
# expect: status="exited" exit=0 success=true exit_code=0 truncated.stdout=true truncated.stderr=false stdout_bytes=6888890 stdout^="0\n1\n2\n"
# expect eval: completed=true

for n in range(1_000_000):
    print(n)
