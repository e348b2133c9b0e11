# SPDX-License-Identifier: Apache-2.0
"""The modules of CPython's test-suite that touch the system."""

# A few seconds each: `make check` runs these.
SAMPLE = ["test_" + name for name in """
epoll fcntl file fileio glob grp ioctl mmap openpty os pathlib popen posix pty pwd resource select shutil spwd
stat tempfile
""".split()]

WHOLE = sorted(SAMPLE + ["test_" + name for name in """
asynchat asyncio asyncore atexit audit bufio bz2 c_locale_coercion cmd_line cmd_line_script compileall
concurrent_futures crypt ctypes curses dbm dbm_dumb docxmlrpc eintr faulthandler file_eintr filecmp fileinput fork1
ftplib genericpath getpass gzip hashlib httplib httpservers imaplib io largefile locale logging lzma mailbox
multiprocessing_fork multiprocessing_main_handling netrc nntplib
pipes platform poll poplib posixpath py_compile queue random readline robotparser runpy sched selectors shelve signal
site smtplib sndhdr socket socketserver ssl subprocess support sys sysconfig syslog tarfile telnetlib thread
threadedtempfile threading threading_local threadsignals time timeout tracemalloc unicode_file
unicode_file_functions urllib urllib2_localnet utf8_mode uuid wait3 wait4 wsgiref xmlrpc zipapp zipfile
zipfile64 zipimport
""".split()])

# Not run, and why.
LEFT_OUT = {name: "375 tests, most of which start interpreters: six minutes of a busy machine for each user; what they ask of the system, pipes, "
                  "semaphores, shared memory and descriptors that are sent, test_multiprocessing_fork asks too"
            for name in ("test_multiprocessing_forkserver", "test_multiprocessing_spawn")}
