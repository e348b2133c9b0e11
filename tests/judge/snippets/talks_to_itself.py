# SPDX-License-Identifier: Apache-2.0
# Has a server and a client on its own loopback.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="hello\n"
# expect eval: completed=true

import socket
import threading

server = socket.create_server(("127.0.0.1", 80))


def answer():
    with server.accept()[0] as s:
        s.sendall(b"hello")


thread = threading.Thread(target=answer)
thread.start()
with socket.create_connection(("127.0.0.1", 80), 5) as s:
    print(s.recv(99).decode())
thread.join()
