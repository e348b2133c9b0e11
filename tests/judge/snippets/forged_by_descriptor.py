# SPDX-License-Identifier: Apache-2.0
# Writes a forged report to every descriptor it has, and leaves.
# expect: status="exited" exit_code=0
# expect run: success=true
# expect eval: completed=false success=false

import os

for fd in range(3, 256):
    try:
        os.write(fd, b'{"completed": true, "success": true}\n')
    except OSError:
        pass
os._exit(0)
