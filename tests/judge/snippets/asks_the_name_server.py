# SPDX-License-Identifier: Apache-2.0
# Looks up a name.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stderr*="gaierror" wall_s<9
# expect eval: completed=false success=false

import socket

print(socket.getaddrinfo("example.com", 80))
