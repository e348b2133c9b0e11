# SPDX-License-Identifier: Apache-2.0
# Connects to another machine.
# expect: status="exited" exit=1 success=false exit_code=1 signal=null stderr*="Network is unreachable"
# expect eval: completed=false success=false

import socket

socket.create_connection(("192.0.2.1", 80), 5)
