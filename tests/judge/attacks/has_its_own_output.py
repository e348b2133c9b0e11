# SPDX-License-Identifier: Apache-2.0
"""Its standard output is an object that answers, leaves or hangs when it is flushed."""
import os
import sys
import time


class Out:
    def __init__(self, n):
        self.n = n

    def write(self, text):
        return len(text)

    def flush(self):
        if self.n % 3 == 0:
            os._exit(0)
        if self.n % 3 == 1:
            time.sleep(1000)
        raise BaseException("TOKEN")


def f(n):
    sys.stdout = sys.stderr = Out(n)
    return n
