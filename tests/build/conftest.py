# SPDX-License-Identifier: Apache-2.0
"""A store with the busybox image as `box` and an empty directory for a build's context; a web server on loopback."""
import http.server
import os
import threading
from pathlib import Path

import pytest

import harness
import images


@pytest.fixture
def box(session_dir):
    found = harness.Sandbox(top=Path(session_dir))
    images.busybox_image().write_docker_archive(found.dirs["work"] / "box.tar", tags=("box:latest",))
    found.ok("docker", "load", "-q", "-i", str(found.dirs["work"] / "box.tar"))
    found.context = found.dirs["work"] / "ctx"
    found.context.mkdir()
    yield found
    steps = found.dirs["cache"] / "build"
    assert not steps.exists() or not [n for n in os.listdir(steps) if n.startswith("new-")]
    assert not found.leftovers()
    found.close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        status, headers, body = self.server.files.get(self.path, (404, {}, b"no such file"))
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def web():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.files, server.asked = {"/d/f.txt": (200, {"Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}, b"one\n")}, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
