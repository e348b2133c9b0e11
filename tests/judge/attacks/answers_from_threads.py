# SPDX-License-Identifier: Apache-2.0
"""Leaves threads that answer on and on while the verdict is made."""
import os
import sys
import threading


def f(n):
    at = sys._getframe()
    while "number" not in at.f_locals:
        at = at.f_back
    number, payload = int.from_bytes(at.f_locals["number"], "little"), b"l4:s1:Rs3:strs5:TOKENN"
    data = b"A\0\0\0" + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload

    def go_on():
        while True:
            os.write(3, data)
    for _ in range(4):
        threading.Thread(target=go_on, daemon=n % 2 == 0).start()
    return n
