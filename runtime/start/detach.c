/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/detach.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/kernel/orphan_fork.h"

#define EXIT_FAILED 125

struct failure {
	int exit_code;
	struct err error;
};

/* Signals stay blocked: only SIGKILL may end a supervisor before its last word. */
static int leave_session(struct err *e)
{
	_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	sigfillset(&all);
	if (null < 0)
		return err_sys(e, "/dev/null");
	if (sigprocmask(SIG_BLOCK, &all, NULL) < 0 || setsid() < 0 || chdir("/") < 0)
		return err_sys(e, "leave the session");
	for (int fd = 0; fd < 3; fd++) {
		if (dup2(null, fd) < 0)
			return err_sys(e, "leave the terminal");
	}
	return 0;
}

void detach_failed(int report_fd, int exit_code, const struct err *why)
{
	const struct failure f = {exit_code, *why};

	(void)io_write_all(report_fd, &f, sizeof(f), NULL);
}

/* The supervisor's word: a byte, it runs; else a failure. */
static int await(int fd, pid_t child, int *ret_exit_code, struct err *e)
{
	struct failure f = {.exit_code = EXIT_FAILED};
	ssize_t n;

	do {
		n = read(fd, &f, sizeof(f));
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		return 0;
	(void)waitpid(child, NULL, 0);
	if (n != sizeof(f))
		err_set(&f.error, EIO, "the supervisor died");
	err_sanitize(&f.error);
	*ret_exit_code = f.exit_code;
	if (e)
		*e = f.error;
	return f.error.code ? -f.error.code : -EIO;
}

int detach(void (*fn)(void *arg, int report_fd), void *arg, bool orphan, int *ret_exit_code,
	   struct err *e)
{
	struct err error = ERR_INIT;
	int report[2], r;
	pid_t child;

	*ret_exit_code = EXIT_FAILED;
	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	child = orphan ? orphan_fork(NULL, NULL) : fork();
	if (child == 0) {
		fd_close(&report[0]);
		if (leave_session(&error) < 0)
			detach_failed(report[1], EXIT_FAILED, &error);
		else
			fn(arg, report[1]);
		_exit(0);
	}
	r = child < 0 ? err_sys(e, "fork") : 0;
	fd_close(&report[1]);
	if (r >= 0)
		r = await(report[0], child, ret_exit_code, e);
	fd_close(&report[0]);
	return r;
}
