# SPDX-License-Identifier: Apache-2.0
"""Never returns to the harness: reads the questions itself, answers each, and ends cases it was not asked."""
import os


def frame(kind, number, payload=b""):
    return kind + bytes(3) + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload


os.write(3, frame(b"L", 0))
seen = []
while True:
    head = os.read(3, 16)
    if len(head) < 16:
        os._exit(0)
    os.read(3, int.from_bytes(head[4:8], "little"))
    seen.append(int.from_bytes(head[8:], "little"))
    for number in seen:
        os.write(3, frame(b"A", number, b"l4:s1:Rs4:boolTN") + frame(b"E", number, b"i0;"))
