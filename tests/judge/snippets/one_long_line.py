# SPDX-License-Identifier: Apache-2.0
# Writes 50 MB without a line's end.
# options: --timeout 60
# expect: status="exited" exit=0 success=true exit_code=0 truncated.stdout=true stdout_bytes=50000000
# expect eval: completed=true

import os

for _ in range(50):
    view = memoryview(b"x" * 1_000_000)
    while view:
        view = view[os.write(1, view):]
