# SPDX-License-Identifier: Apache-2.0
"""Snippets that want to be noticed by the next one in their lane: name -> (code, whether the lane must be given up).

None: it may be either. True is for what leaves something, or might have: a witness that sees nothing is not
enough there, the lane has to be another one. False: processes, and what goes with them, are no reason to.
"""
LIBC = """
import ctypes, errno, mmap, os, signal, socket, stat, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    return libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if type(a) is int else a for a in args])
"""

ATTACKS = {
    "nothing": ("pass", False),
    # files
    "file in tmp": ("open('/tmp/left', 'w').write('x')", True),
    "hidden file in tmp": ("open('/tmp/.x', 'w').close(); os.unlink('/tmp/.x')", True),
    "hidden file in work": ("open('.x', 'w').close(); os.unlink('.x')", True),
    "hidden file beside the code": ("open('/csbx/x', 'w').close(); os.unlink('/csbx/x')", True),
    "hidden file in the root": ("open('/x', 'w').close(); os.unlink('/x')", True),
    "directory": ("os.makedirs('/var/a/b')", True),
    "mode of the root": ("os.chmod('/', 0o700)", True),
    "mode of the root and back": ("os.chmod('/', 0o700); os.chmod('/', 0o755)", True),
    "mode of tmp": ("os.chmod('/tmp', 0o700)", True),
    "clocks of work": ("os.utime('/work', (1, 1))", True),
    "clocks of etc": ("os.utime('/etc', (1, 1))", True),
    "attribute of work": ("os.setxattr('/work', 'user.x', b'1')", True),
    "flag of work": ("import fcntl\nfd = os.open('/work', os.O_RDONLY)\nfcntl.ioctl(fd, 0x40086602, (0x40).to_bytes(8, 'little'))", True),
    "renames over tmp": ("os.mkdir('/work/t')\ntry: os.rename('/work/t', '/tmp')\nexcept OSError: pass", True),
    "removes work": ("os.chdir('/'); os.rmdir('/work')", True),
    "replaces work": ("os.chdir('/'); os.rmdir('/work'); os.mkdir('/work')", True),
    "writes mapped": ("f = open('/etc/hosts', 'r+b')\nm = mmap.mmap(f.fileno(), 0)\nm[0]\nm[0] = 120", True),
    "writes mapped to the program that thaws": ("code = \"import mmap; f = open('/csbx/thaw', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[-1]; m[-1] = 120\"\n"
                                                "os.execv(sys.executable, ['python3', '-c', code])", True),
    "deletes of the image": ("os.unlink('/bin/sh') if os.path.exists('/bin/sh') else os.unlink('/etc/passwd')", True),
    "deletes hosts": ("os.unlink('/etc/hosts')", True),
    "grows hosts and back": ("f = open('/etc/hosts', 'r+b'); n = os.fstat(f.fileno()).st_size; f.truncate(9999); f.truncate(n)", True),
    "own file: mode": ("os.chmod('/csbx/snippet.py', 0o777)", True),
    "own file: attribute": ("os.setxattr('/csbx/snippet.py', 'user.x', b'1')", True),
    "own file: flag": ("import fcntl\nfd = os.open('/csbx/snippet.py', os.O_RDONLY)\nfcntl.ioctl(fd, 0x40086602, (0x40).to_bytes(8, 'little'))", True),
    "own file: link": ("os.link('/csbx/snippet.py', '/work/l')", True),
    "own file: symlink": ("os.unlink('/csbx/snippet.py'); os.symlink('/etc/hosts', '/csbx/snippet.py')", True),
    "own file: fifo": ("os.unlink('/csbx/snippet.py'); os.mkfifo('/csbx/snippet.py')", True),
    "own file: gone": ("os.unlink('/csbx/snippet.py')", True),
    "own program: mode": ("os.chmod('/proc/self/exe', 0)", True),
    "own program: mode and back": ("os.chmod('/proc/self/exe', 0); os.chmod('/proc/self/exe', 0o555)", True),
    "own program: clocks": ("os.utime('/proc/self/exe', (1, 1))", True),
    "own program: attribute": ("os.setxattr('/proc/self/exe', 'user.x', b'1')", True),
    "own program: owner": ("os.chown('/proc/self/exe', os.getuid(), os.getgid())", True),
    "own program: is read": ("open('/proc/self/exe', 'rb').read()", True),
    "own program: written": ("for flags in (os.O_RDWR, os.O_WRONLY | os.O_TRUNC):\n    try: os.open('/proc/self/exe', flags); print('opened')\n    except OSError: pass\n"
                             "try: os.truncate('/proc/self/exe', 1)\nexcept OSError: pass", None),
    "hints of files": ("import fcntl\nfor p in ('/', '/csbx/snippet.py', '/etc/hosts', '/bin/busybox', '/work', '/csbx/thaw', '/proc/self/exe', '/dev/shm'):\n"
                       "    try: fcntl.fcntl(os.open(p, os.O_RDONLY), 1036, (3).to_bytes(8, 'little')); print(p)\n    except OSError: pass", False),
    "states of streams": ("import fcntl\nfor fd in 0, 1, 2:\n    for f, *a in (os.fchmod, 0o777), (fcntl.fcntl, 4, os.O_NONBLOCK | os.O_APPEND), (fcntl.fcntl, 1031, 1 << 20), (fcntl.fcntl, 8, 2), (fcntl.fcntl, 10, 30):\n"
                          "        try: f(fd, *a)\n        except OSError: pass", False),
    "own file: longer": ("open('/csbx/snippet.py', 'a').write('#' * 99999)", False),
    "fills inodes": ("try:\n    for n in range(3000): open('/tmp/%d' % n, 'w').close()\nexcept OSError: pass", True),
    "file without a name": ("fd = os.open('/work', os.O_TMPFILE | os.O_RDWR, 0o600); os.write(fd, b'x' * 99999)", False),
    "descriptor of a deleted file": ("f = open('/work/d', 'w'); os.unlink('/work/d'); f.write('x')", True),
    "device files": ("open('/dev/null', 'w').write('x'); open('/dev/zero').close()", False),
    "shared memory file": ("open('/dev/shm/x', 'w').write('x')", True),
    "hidden shared memory file": ("open('/dev/shm/x', 'w').close(); os.unlink('/dev/shm/x')", True),
    "mode of shared memory": ("os.chmod('/dev/shm', 0o700); os.chmod('/dev/shm', 0o1777)", True),
    "attribute of shared memory": ("os.setxattr('/dev/shm', 'user.x', b'1')", True),
    "mode of terminals": ("try: os.chmod('/dev/pts', 0o700); os.chmod('/dev/pts', 0o755)\nexcept OSError: pass", None),
    "mode of the file that makes terminals": ("os.chmod('/dev/pts/ptmx', 0o600)", True),
    "owner of the file that makes terminals": ("os.chown('/dev/pts/ptmx', os.getuid(), os.getgid())", True),
    "clocks of the file that makes terminals": ("os.utime('/dev/pts/ptmx', (1, 1))", True),
    "terminals": ("import pty\nx = [pty.openpty() for n in range(20)]", False),
    # objects of the kernel
    "shm": ("assert call(29, 0x77, 4096, 0o1600) >= 0, ctypes.get_errno()", True),
    "shm removed": ("n = call(29, 0, 4096, 0o1600); call(31, n, 0, 0)", True),
    "sem": ("assert call(64, 0x77, 1, 0o1600) >= 0", True),
    "sem removed": ("n = call(64, 0, 1, 0o1600); call(66, n, 0, 0, 0)", True),
    "msg": ("assert call(68, 0x77, 0o1600) >= 0", True),
    "msg removed": ("n = call(68, 0, 0o1600); call(71, n, 0, 0)", True),
    "mqueue": ("assert call(240, ctypes.c_char_p(b'x'), 0o102, 0o600, None) >= 0, ctypes.get_errno()", True),
    "mqueue removed": ("assert call(240, ctypes.c_char_p(b'x'), 0o102, 0o600, None) >= 0\ncall(241, ctypes.c_char_p(b'x'))", True),
    "mqueue file": ("open('/dev/mqueue/x', 'w').close()", True),
    "keyring": ("call(248, ctypes.c_char_p(b'user'), ctypes.c_char_p(b'x'), ctypes.c_char_p(b'x'), 1, -3)", False),
    "where pages lie": ("libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p] + [ctypes.c_long] * 5\n"
                        "for p in '/csbx/snippet.py', '/etc/hosts', '/csbx/thaw':\n"
                        "    at = libc.mmap(None, 4096, 1, 1, os.open(p, os.O_RDONLY), 0)\n"
                        "    print(p, call(237, ctypes.c_void_p(at), 4096, 3, ctypes.byref(ctypes.c_ulong(1)), 64, 0))", False),
    "memfd": ("os.write(os.memfd_create('x'), b'x' * 99999)", False),
    "inotify": ("n = libc.inotify_init(); libc.inotify_add_watch(n, b'/work', 0xfff)\nif not os.fork(): os.setsid(); time.sleep(60)", False),
    "fanotify": ("n = call(300, 0x200, 0); call(301, n, 1, 0x100, -100, ctypes.c_char_p(b'/work'))", False),
    "lock": ("import fcntl\nf = open('/csbx/snippet.py'); fcntl.flock(f, fcntl.LOCK_EX)\nif not os.fork(): os.setsid(); time.sleep(60)", False),
    "lease": ("import fcntl\nf = open('/csbx/snippet.py')\nfcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_RDLCK)\nif not os.fork(): os.setsid(); time.sleep(60)", False),
    # the network
    "modes of the network's files": ("for top, dirs, names in os.walk('/proc/self/net'):\n    for n in dirs + names:\n"
                                     "        try: os.chmod(os.path.join(top, n), 0o640)\n        except OSError: pass", None),
    "owner of a file of the network": ("try: os.chown('/proc/self/net/arp', 0, os.getgid())\nexcept OSError: pass", None),
    "groups that are left": ("s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)\n"
                             "for n in range(9):\n"
                             "    try: s.setsockopt(41, 20, socket.inet_pton(10, 'ff02::1:%x' % n) + bytes((1, 0, 0, 0))); print('joined')\n"
                             "    except OSError: pass", False),
    "tcp": ("s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); s.accept()[0].close()", True),
    "tcp refused": ("s = socket.socket(); print(s.connect_ex(('127.0.0.1', 9)))", True),
    "tcp without a route": ("s = socket.socket(); print(s.connect_ex(('192.0.2.1', 9)))", None),
    "udp": ("s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', 9))", True),
    "udp 6": ("s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.sendto(b'x', ('::1', 9))", True),
    "sockets": ("x = [socket.socket() for n in range(50)]; x[0].bind(('127.0.0.1', 777)); x[0].listen()", False),
    "abstract socket": ("s = socket.socket(socket.AF_UNIX); s.bind('\\0x'); s.listen()\nif not os.fork(): os.setsid(); time.sleep(60)", False),
    "sockets in sockets": ("a, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [a.fileno(), b.fileno()]); del a, b", None),
    # processes
    "sessions": ("for n in range(200):\n    if not os.fork(): os.setsid(); time.sleep(60)", False),
    "daemon": ("if not os.fork():\n    os.setsid()\n    if not os.fork(): time.sleep(0.05); open('/work/late', 'w'); time.sleep(60)\n    os._exit(0)", False),
    "fork bomb": ("def f():\n    while True:\n        try: os.fork()\n        except OSError: time.sleep(0.01)\nf()", False),
    "threads": ("import threading\nfor n in range(50): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nos._exit(0)", False),
    "leader is gone": ("import threading\nthreading.Thread(target=time.sleep, args=(60,)).start()\nlibc.syscall(60, 0)", False),
    "many ids": ("for n in range(300):\n    if not os.fork(): os._exit(0)\n    os.wait()", False),
    "stopped": ("p = os.fork()\nif not p: os.kill(os.getpid(), 19)\nos.kill(os.getpid(), 19)", False),
    "traced": ("call(101, 0, 0, 0, 0); os.kill(os.getpid(), 10)", False),
    "vfork": ("if not os.fork(): call(58); time.sleep(60)", False),
    "signals to pid 1": ("for n in (1, 2, 9, 15, 17, 19, 20, 34):\n    try: os.kill(1, n)\n    except OSError: pass", False),
    "signals to all": ("for n in (19, 9):\n    try: os.kill(-1, n)\n    except OSError: pass", False),
    "traces pid 1": ("for n in (16, 0x4206): assert call(101, n, 1, 0, 0) < 0", False),
    "memory of pid 1": ("for n in ('mem', 'environ', 'maps', 'fd/3', 'root/x', 'ns/mnt'):\n    try: open('/proc/1/' + n, 'rb').read(1); print(n)\n"
                        "    except OSError: pass", False),
    "limits of pid 1": ("import resource\ntry: resource.prlimit(1, resource.RLIMIT_NOFILE, (9, 9)); print('yes')\nexcept OSError: pass", False),
    "priority of pid 1": ("for w in ((0, 1), (2, 0), (1, 1)):\n    try: os.setpriority(*w, 19)\n    except OSError: pass", False),
    "cpus of pid 1": ("try: os.sched_setaffinity(1, {0})\nexcept OSError: pass", False),
    "io priority of pid 1": ("call(251, 1, 1, 3 << 13); call(251, 3, 0, 3 << 13)", False),
    "policy of pid 1": ("try: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))\nexcept OSError: pass", False),
    "oom score of pid 1": ("try: open('/proc/1/oom_score_adj', 'w').write('999')\nexcept OSError: pass", False),
    "group of pid 1": ("for p in (0, 1, 2):\n    try: os.setpgid(p, 1)\n    except OSError: pass", False),
    "writes proc": ("for n in ('sys/kernel/ns_last_pid', 'sys/kernel/shm_next_id', 'sys/kernel/hostname', '1/comm', '1/timerslack_ns'):\n"
                    "    try: open('/proc/' + n, 'w').write('5'); print(n)\n    except OSError: pass", False),
    "descriptors of the harness": ("for n in range(3, 20):\n    try: os.write(n, b'D' + bytes(15)); print(n)\n    except OSError: pass", False),
    "output without end": ("while True: os.write(1, b'x' * 65536)", False),
    "memory": ("x = bytearray(400 << 20)", False),
    "ends all": ("os.close(1); os.close(2); os.close(3); os.kill(os.getpid(), 9)", False),
    # more of each
    "timers": ("signal.signal(14, lambda *x: None); signal.setitimer(signal.ITIMER_REAL, 60, 60)\n"
               "if not os.fork(): os.setsid(); signal.setitimer(signal.ITIMER_VIRTUAL, 60); time.sleep(60)", False),
    "timer descriptor": ("n = call(283, 1, 0); assert n >= 0\nif not os.fork(): os.setsid(); time.sleep(60)", False),
    "namespaces": ("for n in (17, 26, 27, 28, 29, 30, 31, 7): print(n, call(272, 1 << n))", None),
    "mounts": ("call(272, 0x10020000); print(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None), libc.umount2(b'/dev/shm', 2))", None),
    "hostname": ("print(libc.sethostname(b'left', 4), libc.setdomainname(b'left', 4))", False),
    "kernel settings": ("for top, _, names in os.walk('/proc/sys'):\n    for n in names:\n        try: open(os.path.join(top, n), 'r+b').close(); print(top, n)\n"
                        "        except OSError: pass", False),
    "control groups": ("try: os.mkdir('/sys/fs/cgroup/left')\nexcept OSError: pass", False),
    "clock": ("try: time.clock_settime(time.CLOCK_REALTIME, 1)\nexcept OSError: pass", False),
    "rings": ("print(call(425, 8, ctypes.create_string_buffer(256)), call(323, 1))", None),
    "own priority": ("os.nice(19)\ntry: open('/proc/self/autogroup', 'w').write('19')\nexcept OSError: pass\nif not os.fork(): os.setsid(); time.sleep(60)", False),
    "mapped files": ("for n in os.listdir('/proc/self/map_files'):\n    try: f = open('/proc/self/map_files/' + n, 'r+b'); f.write(b'x'); print(n)\n    except OSError: pass", None),
    "descriptors of pid 1": ("fd = call(434, 1, 0); print(fd, call(438, fd, 3, 0), call(424, fd, 9, 0, 0))", False),
    "large pipes": ("import fcntl\nx = [os.pipe() for n in range(30)]\ntry: [fcntl.fcntl(a, 1031, 1 << 20) for a, b in x]\nexcept OSError: pass\n"
                    "if not os.fork(): os.setsid(); time.sleep(60)", False),
    "inotify instances": ("x = [libc.inotify_init() for n in range(300)]\nif not os.fork(): os.setsid(); time.sleep(60)", False),
    "names that are not there": ("for n in range(5000): os.path.exists('/no/%d' % n); os.path.exists('/tmp/%d' % n)", False),
    "socket file": ("s = socket.socket(socket.AF_UNIX); s.bind('/tmp/s'); s.close(); os.unlink('/tmp/s')", True),
    "fifo with a reader": ("os.mkfifo('/tmp/f')\nif not os.fork(): os.setsid(); open('/tmp/f')", True),
    "directory that is gone": ("os.mkdir('/work/d'); os.chdir('/work/d'); os.rmdir('/work/d')\nif not os.fork(): os.setsid(); time.sleep(60)", True),
    "large hole in shared memory": ("f = open('/dev/shm/x', 'wb')\ntry: f.truncate(1 << 40)\nexcept OSError: pass\nos.unlink('/dev/shm/x')", True),
    "access control list": ("os.setxattr('/work', 'system.posix_acl_access', bytes.fromhex('02000000' '01000700ffffffff' '04000500ffffffff' '20000500ffffffff'))", None),
    "echo": ("try: s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1); s.sendto(b'\\x08' + bytes(7), ('127.0.0.1', 0))\nexcept OSError: pass", None),
    "netlink": ("try: s = socket.socket(16, 3, 0); s.bind((0, 0xffffffff)); s.send(bytes(64))\nexcept OSError: pass", None),
    "lo goes down": ("import fcntl\ns = socket.socket(type=socket.SOCK_DGRAM)\ntry: fcntl.ioctl(s, 0x8914, b'lo'.ljust(16, b'\\0') + bytes(24)); print('down')\nexcept OSError: pass", None),
    "addresses of lo": ("import fcntl\ns = socket.socket(type=socket.SOCK_DGRAM)\n"
                        "try: fcntl.ioctl(s, 0x8916, b'lo:1'.ljust(16, b'\\0') + bytes((2, 0, 0, 0, 10, 0, 0, 1)) + bytes(16)); print('set')\nexcept OSError: pass", None),
}
TIMES = {"fork bomb": 1, "stopped": 0.5, "traced": 0.5, "output without end": 1, "leader is gone": 0.5, "signals to all": 1}

# All that a program can see of another that was there before; the last line is of the lane itself.
WITNESS = """
import fcntl, json, os
seen = []
def look(f, *args):
    try: seen.append([args[0] if args and type(args[0]) is str else None, f(*args)])
    except OSError as e: seen.append([args[0] if args and type(args[0]) is str else None, e.errno])
def text(path):
    with open(path, errors="replace") as f: return f.read()
def facts(path):
    s = os.lstat(path)
    return s.st_mode, s.st_uid, s.st_gid, s.st_nlink, os.listxattr(path)
for top in "/", "/work", "/csbx", "/tmp", "/dev/shm", "/dev/mqueue", "/dev/pts", "/etc", "/var", "/root", "/bin", "/run":
    look(facts, top)
    look(lambda p: sorted(os.listdir(p)), top)
for path in "/etc/hosts", "/etc/resolv.conf", "/etc/passwd", "/proc/self/oom_score_adj", "/proc/net/dev", "/proc/net/tcp", "/proc/sysvipc/shm", \\
        "/proc/sysvipc/sem", "/proc/sysvipc/msg", "/proc/self/limits", "/proc/self/cgroup", "/proc/self/timerslack_ns":
    look(text, path)
    if path.startswith("/etc"): look(facts, path)
look(lambda p: (facts(p)[:3], os.stat(p).st_mtime == 1), "/dev/pts/ptmx")
owners = set()
for top, dirs, names in os.walk("/proc/self/net"):
    for n in sorted(dirs + names):
        s = os.lstat(os.path.join(top, n))
        owners.add((s.st_uid, s.st_gid))
        seen.append([n, s.st_mode])
seen.append(len(owners))  # one, which depends on what has made the namespace
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p] + [ctypes.c_long] * 5
def placed(path):
    fd, mode = os.open(path, os.O_RDONLY), ctypes.c_int(-1)
    at = libc.mmap(None, 4096, 1, 1, fd, 0)
    os.close(fd)
    return libc.get_mempolicy(ctypes.byref(mode), None, 0, ctypes.c_void_p(at), 2) if hasattr(libc, "get_mempolicy") else \
        libc.syscall(ctypes.c_long(239), ctypes.byref(mode), None, ctypes.c_long(0), ctypes.c_void_p(at), ctypes.c_long(2)), mode.value
for path in "/csbx/snippet.py", "/etc/hosts", "/csbx/thaw":
    look(placed, path)
look(os.listxattr, "/proc/self/exe")
for path in "/", "/csbx/snippet.py", "/etc/hosts", "/bin/busybox", "/work", "/csbx/thaw", "/proc/self/exe", "/dev/null", "/dev/shm":
    look(lambda p: fcntl.fcntl(os.open(p, os.O_RDONLY), 1035, bytes(8)).hex(), path)
look(lambda: [[fcntl.fcntl(fd, n) for n in (1, 3, 9, 11)] + [os.fstat(fd).st_mode] for fd in (0, 1, 2)])
look(lambda: fcntl.fcntl(1, 1032))
look(lambda: len(text("/proc/net/unix").splitlines()))
look(lambda: text("/csbx/snippet.py") == CODE)
with open("/csbx/snippet.py") as f:
    look(fcntl.flock, f, fcntl.LOCK_EX | fcntl.LOCK_NB)
look(lambda: [p for p in os.listdir("/proc") if p.isdigit()])
look(lambda: [os.getpid(), os.getppid(), os.getsid(0), os.getpgrp(), sorted(os.sched_getaffinity(0)), os.nice(0), os.getpriority(0, 1),
              os.sched_getscheduler(0), os.sched_getscheduler(1), os.getcwd(), os.umask(0), os.uname().nodename])
look(lambda: text("/proc/net/sockstat").splitlines()[0])
p = os.fork()
if not p: os._exit(0)
seen.append(p)
os.wait()
print(json.dumps(seen))
print(text("/proc/1/stat").split()[21])
"""
WITNESS = f"CODE = open('/csbx/snippet.py').read()\n{WITNESS}"
