#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Run a command as a user under a kernel that lacks some system calls, as far as it can tell.

	without_calls.py USER CALL[=ERRNO][,CALL...] PROGRAM ARGUMENT...

Root loads a seccomp filter that answers ENOSYS, or the error that is named (EOPNOTSUPP), which then
needs no no_new_privs, so that newuidmap still works; then the user is taken on and the program
executed.
"""
import ctypes
import errno
import os
import platform
import pwd
import struct
import sys

NUMBERS = {  # x86_64, aarch64
    "openat2": (437, 437), "clone3": (435, 435), "mount_setattr": (442, 442), "close_range": (436, 436),
    "memfd_create": (319, 279), "landlock_create_ruleset": (444, 444), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "pidfd_open": (434, 434), "statx": (332, 291),
    "renameat2": (316, 276), "copy_file_range": (326, 285), "execveat": (322, 281),
    "pidfd_send_signal": (424, 424), "epoll_pwait2": (441, 441), "faccessat2": (439, 439),
    "name_to_handle_at": (303, 264), "getrandom": (318, 278), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "keyctl": (250, 219), "seccomp": (317, 277),
    "inotify_init1": (294, 26)}
ARCH = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
LD_W_ABS, JEQ, RET = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def instruction(code, k, jt=0, jf=0):
    return struct.pack("=HBBI", code, jt, jf, k)


def load_filter(names):
    arch, column = ARCH[platform.machine()]
    code = [instruction(LD_W_ABS, 4), instruction(JEQ, arch, 1, 0), instruction(RET, ALLOW),
            instruction(LD_W_ABS, 0)]
    for word in names:
        name, _, error = word.partition("=")
        code += [instruction(JEQ, NUMBERS[name][column], 0, 1),
                 instruction(RET, ERRNO | getattr(errno, error or "ENOSYS"))]
    code.append(instruction(RET, ALLOW))
    buffer = ctypes.create_string_buffer(b"".join(code))

    class Program(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
    program = Program(len(code), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(22, 2, ctypes.byref(program), 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), "seccomp")


def main():
    user, names, *command = sys.argv[1:]
    entry = pwd.getpwnam(user)
    load_filter(names.split(","))
    os.initgroups(user, entry.pw_gid)
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
