/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/job_control.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/base/fd.h"

static bool has_suspend(int master, const char *typed, size_t len)
{
	struct termios t;

	if (tcgetattr(master, &t) < 0 || !(t.c_lflag & ISIG) || t.c_cc[VSUSP] == _POSIX_VDISABLE)
		return false;
	return memchr(typed, t.c_cc[VSUSP], len) != NULL;
}

/* The number after "Name:" of /proc/PID/status, proc(5). */
static unsigned long long field(const char *status, const char *name, int base)
{
	const char *p = strstr(status, name);

	return p ? strtoull(p + strlen(name), NULL, base) : 0;
}

bool job_control_is_lost(int master, const char *typed, size_t len, pid_t pid1)
{
	const unsigned long long tstp = 1ull << (SIGTSTP - 1);
	char path[40], status[4096];
	_close_ int fd = -1;
	pid_t group;
	ssize_t n;

	if (!has_suspend(master, typed, len) || ioctl(master, TIOCGPGRP, &group) < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", group);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, status, sizeof(status) - 1);
	if (n <= 0)
		return false;
	status[n] = 0;
	if (field(status, "\nPPid:", 10) != (unsigned long long)pid1)
		return false;
	return !((field(status, "\nSigIgn:", 16) | field(status, "\nSigCgt:", 16)) & tstp);
}

void job_control_stop(bool was_typed)
{
	sigset_t tstp, old;

	if (!was_typed) {
		raise(SIGSTOP);
		return;
	}
	sigemptyset(&tstp);
	sigaddset(&tstp, SIGTSTP);
	kill(0, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &tstp, &old); /* here we stop */
	sigprocmask(SIG_SETMASK, &old, NULL);
}
