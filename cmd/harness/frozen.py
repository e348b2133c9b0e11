# SPDX-License-Identifier: Apache-2.0
# The part of every run that is the same: csbx-thaw copies the interpreter where it stops, and each
# program goes on from there, with the harness as descriptor 4.
import sys

posix, _signal = sys.modules["posix"], sys.modules["_signal"]
posix.kill(posix.getpid(), 19)  # SIGSTOP

# Handlers are the kernel's, and not in the copy.
for n in range(1, 32):
    if _signal.getsignal(n) not in (None, 0):
        _signal.signal(n, _signal.getsignal(n))
# What the kernel has is of the program that became this one: its words, with two more in front, and
# an environment that may have another HOSTNAME.
with open("/proc/self/cmdline", "rb") as f:
    words = [w.decode(sys.getfilesystemencoding(), "surrogateescape") for w in f.read().split(b"\0")[2:-1]]
with open("/proc/self/environ", "rb") as f:
    for pair in f.read().split(b"\0")[:-1]:
        key, _, value = pair.partition(b"=")
        if posix.environ.get(key) != value:
            posix.environ[key] = value
            if "os" in sys.modules:
                sys.modules["os"].environb[key] = value  # putenv(3) as well
            else:
                posix.putenv(key, value)
sys.argv[:] = ["-c"] + words[3:]
if hasattr(sys, "orig_argv"):
    sys.orig_argv[:] = words
del posix, _signal, n, f, words, pair, key, _, value
exec(open(4, "rb").read())
