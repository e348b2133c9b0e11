#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Writes every byte there is to stdout: the result is base64, for both streams.
# expect: status=exited exit=0 encoding="base64" stderr="dGV4dA==" stdout_bytes=256
# expect: stdout^="AAECAwQFBgcI"

import os

os.write(1, bytes(range(256)))
os.write(2, b"text")
