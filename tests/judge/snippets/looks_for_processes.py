# SPDX-License-Identifier: Apache-2.0
# Sees no process but those of its own container.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="True\n"
# expect eval: completed=true

import os

pids = [int(p) for p in os.listdir("/proc") if p.isdigit()]
print(len(pids) <= 4 and max(pids) < 100)
