# SPDX-License-Identifier: Apache-2.0
# Looks for files and variables of the host.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="['app'] [] []\n"
# expect eval: completed=true

import os

secrets = [k for k in os.environ if k.startswith(("CSBX", "SUDO", "SSH", "XDG", "TMPDIR", "USER"))]
print(os.listdir("/home"), os.listdir("/mnt"), secrets)
