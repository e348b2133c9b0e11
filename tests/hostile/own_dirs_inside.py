# SPDX-License-Identifier: Apache-2.0
"""Run inside a container: own_dirs_inside.py DIRECTORY...: tries all that a program can do to csbx's directories at
these places.

Prints a list of what succeeded as one line of JSON; it shall be empty."""
import ctypes
import json
import os
import socket
import sys
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH, MS_REMOUNT, MS_BIND = 2, 32, 4096


def tries(what, call, *args):
    try:
        call(*args)
    except OSError:
        return []
    return [what]


def syscall(name, *args):
    if getattr(LIBC, name)(*args) < 0:
        raise OSError(ctypes.get_errno(), name)


def reach(directory):
    """Everything below is listed, read and connected to, everything made below is a hole."""
    done = []
    for here, dirs, files in os.walk(directory):
        done += [f"sees {here}/{n}" for n in dirs + files]
        for name in files:
            if name.endswith(".sock"):
                with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
                    done += tries(f"connects to {here}/{name}", s.connect, f"{here}/{name}")
    done += tries(f"makes a file in {directory}", Path(directory, "planted").touch)
    done += tries(f"makes a directory in {directory}", os.mkdir, f"{directory}/planted")
    return done


def displace(directory, top):
    """Moves it, and every directory and link on the way from top on, out of the way."""
    done = []
    path = Path(directory)
    for p in (path, *path.parents):
        if p == Path(top):
            break
        done += tries(f"renames {p}", os.rename, p, f"{top}/moved")
        done += tries(f"removes {p}", os.rmdir, p)
        done += tries(f"unlinks {p}", os.unlink, p)
        done += tries(f"exchanges {p}", syscall, "renameat2", -100, os.fsencode(p), -100, os.fsencode(f"{top}/other"), 2)
    return done


def uncover(directory):
    name = os.fsencode(directory)
    done = tries(f"unmounts {directory}", syscall, "umount2", name, MNT_DETACH)
    done += tries(f"unmounts {directory}, not following", syscall, "umount2", name, 8)
    done += tries(f"remounts {directory}", syscall, "mount", None, name, None, MS_REMOUNT | MS_BIND, None)
    return done


if __name__ == "__main__":
    top, *directories = sys.argv[1:]
    tries("", os.mkdir, f"{top}/other")
    found = []
    for d in directories:
        assert os.path.isdir(d), d
        found += displace(d, top) + uncover(d) + reach(d)
    tries("", os.rmdir, f"{top}/other")
    print(json.dumps(found))
