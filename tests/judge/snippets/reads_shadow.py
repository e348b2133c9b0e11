# SPDX-License-Identifier: Apache-2.0
# Reads /etc/shadow: the image's, not the host's.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="root:*:19000:0:99999:7:::\n"
# expect eval: completed=true

with open("/etc/shadow", encoding="utf-8") as f:
    print(f.read(), end="")
