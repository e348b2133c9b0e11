#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sends the requests of one row to a socket and tells what came back. Knows no engine.

As a program: apiwire.py SOCKET; steps as JSON on stdin, answers as JSON on stdout. The requests are
then sent by the user that the program runs as: csbx's engine serves its own user only.

A step is a dictionary:
    method, path      the path may hold $name, which an earlier step saved
    body              an object (sent as JSON), text, {"tar": {name: text}} or nothing
    headers           more lines of the head
    save              [name, key of the answer's JSON]
    begin             read the head only, and keep the connection under this name
    end               no request: all that comes on the connection of that name until its end
    stdin             sent on a connection that has become a stream; its end, too
    pause_s           wait before the request
    until             [key, value]: ask again until the answer's JSON has it
    first             of a stream without an end: how many JSON messages are read
"""
import http.client
import io
import json
import re
import socket
import struct
import sys
import tarfile
import time

TIMEOUT_S = 60
KEPT_HEADERS = ("content-type", "ostype", "docker-experimental", "cache-control", "pragma", "upgrade", "connection",
                "location", "x-docker-container-path-stat")
STREAMS = ("application/vnd.docker.raw-stream", "application/vnd.docker.multiplexed-stream")


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(TIMEOUT_S)
    s.connect(path)
    return s


def make_tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.mtime, info.mode = 1000000000, 0o644
            if name.endswith("/"):
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                t.addfile(info)
                continue
            info.size = len(text)
            t.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def body_bytes(body):
    """(bytes or None, content type)"""
    if body is None:
        return None, None
    if isinstance(body, str):
        return body.encode(), "application/json"
    if isinstance(body, dict) and list(body) == ["tar"]:
        return make_tar(body["tar"]), "application/x-tar"
    return json.dumps(body).encode(), "application/json"


def read_rest(s, answer):
    """The bytes after the head of an answer that became a stream, or that has no end of its own."""
    got = b""
    source = answer.fp if answer else s.makefile("rb")
    while piece := source.read1(65536):
        got += piece
    return got


def demultiplexed(data):
    """[[stream, text], ...], pieces of one stream that follow each other joined; None: not frames."""
    found = []
    while data:
        if len(data) < 8 or data[0] not in (1, 2) or data[1:4] != b"\0\0\0":
            return None
        length = struct.unpack(">L", data[4:8])[0]
        text = data[8:8 + length].decode(errors="backslashreplace")
        if found and found[-1][0] == data[0]:
            found[-1][1] += text
        else:
            found.append([data[0], text])
        data = data[8 + length:]
    return found


def members(data):
    """A tar's members as lines, without what a copy has of its own."""
    with tarfile.open(fileobj=io.BytesIO(data)) as t:
        return sorted([m.name, m.type.decode(), oct(m.mode & 0o7777), m.size, m.linkname] for m in t)


def told(method, answer, got):
    headers = {k.lower(): v for k, v in answer.getheaders() if k.lower() in KEPT_HEADERS}
    kind = headers.get("content-type", "")
    body = {}
    if kind == "application/x-tar" and method == "GET" and answer.status == 200:
        body = {"tar": members(got)}
    elif kind.startswith("application/json") and got.strip():
        lines = []
        for line in got.decode(errors="backslashreplace").strip().splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                lines.append({"not JSON": line})
        body = {"json": lines[0]} if len(lines) == 1 else {"lines": lines}
    elif got:
        frames = demultiplexed(got)
        body = {"frames": frames} if frames is not None else {"text": got.decode(errors="backslashreplace")}
    return [answer.status, headers, body]


class Talk:
    def __init__(self, path):
        self.path, self.saved, self.open = path, {}, {}

    def filled(self, text):
        return re.sub(r"\$(\w+)", lambda m: self.saved.get(m[1], m[0]), text)

    def send(self, step):
        data, kind = body_bytes(step.get("body"))
        if isinstance(step.get("body"), dict) and kind == "application/json":
            data = self.filled(data.decode()).encode()
        lines = {"Host": "docker"}
        if data is not None:
            lines.update({"Content-Length": len(data), "Content-Type": kind})
        elif step["method"] in ("POST", "PUT"):
            lines["Content-Length"] = 0
        lines.update(step.get("headers") or {})
        head = f"{step['method']} {self.filled(step['path'])} HTTP/1.1\r\n"
        head += "".join(f"{k}: {v}\r\n" for k, v in lines.items() if v is not None) + "\r\n"
        s = connect(self.path)
        s.sendall(head.encode() + (data or b""))
        answer = http.client.HTTPResponse(s, method=step["method"])
        answer.begin()
        return s, answer

    def ask(self, step):
        s, answer = self.send(step)
        if "begin" in step:
            self.open[step["begin"]] = (step["method"], s, answer)
            return told(step["method"], answer, b"")
        if "stdin" in step and answer.status in (101, 200):
            s.sendall(step["stdin"].encode())
            s.shutdown(socket.SHUT_WR)
        if "first" in step:
            got = self.read_messages(answer, step["first"])
        else:
            got = self.read(step["method"], s, answer)
        s.close()
        return told(step["method"], answer, got)

    @staticmethod
    def read_messages(answer, count):
        got = b""
        while got.count(b"\n") < count and (line := answer.readline()):
            got += line
        return got

    @staticmethod
    def read(method, s, answer):
        if method == "HEAD" or answer.status in (204, 304):
            return b""
        is_stream = answer.getheader("Content-Type") in STREAMS and not answer.chunked and not answer.length
        return read_rest(s, answer) if answer.status == 101 or is_stream else answer.read()

    def step(self, step):
        time.sleep(step.get("pause_s", 0))
        if "end" in step:
            method, s, answer = self.open.pop(step["end"])
            if "stdin" in step:
                s.sendall(step["stdin"].encode())
                s.shutdown(socket.SHUT_WR)
            result = told(method, answer, self.read(method, s, answer))
            s.close()
            return result
        deadline = time.monotonic() + TIMEOUT_S / 2
        while True:
            result = self.ask(step)
            found = result[2].get("json")
            if "until" not in step or lookup(found, step["until"][0]) == step["until"][1]:
                break
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        if "save" in step and isinstance(found, dict) and step["save"][1] in found:
            self.saved[step["save"][0]] = found[step["save"][1]]
        return result

    def close(self):
        for _, s, _ in self.open.values():
            s.close()


def lookup(value, path):
    """The value at "State.Health.Status"; a number is an index. Absent: None."""
    for key in path.split("."):
        if isinstance(value, list) and key.lstrip("-").isdigit():
            value = value[int(key)] if -len(value) <= int(key) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(key)
        else:
            return None
    return value


def main():
    talk = Talk(sys.argv[1])
    found = []
    for step in json.load(sys.stdin):
        try:
            found.append(talk.step(step))
        except (OSError, http.client.HTTPException) as e:
            found.append([0, {}, {"text": f"no answer: {type(e).__name__}"}])
    talk.close()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
