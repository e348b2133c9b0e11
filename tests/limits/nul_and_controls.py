#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Writes NUL, escapes, and characters of two, three and four bytes.
# expect: status=exited exit=0 encoding="utf-8" stdout="\u0000\u001b[31m\r\n\u007f\u00e9\u20ac\ud83d\ude00"

import os

os.write(1, "\0\033[31m\r\n\177\u00e9\u20ac\U0001f600".encode())
