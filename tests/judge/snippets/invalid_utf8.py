# SPDX-License-Identifier: Apache-2.0
# Writes every byte there is: both streams are base64.
# expect: status="exited" exit=0 success=true exit_code=0 encoding="base64" stdout_bytes=256 stdout^="AAECAwQFBgcI" stderr="dGV4dA=="
# expect eval: completed=true

import os

os.write(1, bytes(range(256)))
os.write(2, b"text")
