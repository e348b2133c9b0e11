/* SPDX-License-Identifier: Apache-2.0 */
#include "image/credentials/credentials.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define HELPER_OUTPUT_MAX (64u << 10)
#define LOOK_MS 50

/*
 * docker-credential-helpers' protocol: the registry on stdin, JSON on stdout, 0; or a text and 1.
 */

/* It may ask a person: it ends when its answer is wanted no more, however we end. */
static void run(const char *program, const char *verb, int in, int out, pid_t caller)
{
	char *const argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)verb, NULL};
	sigset_t none;

	/*
	 * The signals of an import are blocked in all its threads; the helper gets them as usual.
	 */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == caller && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execvp(program, argv);
}

static int start(const char *program, const char *verb, int in, int out, pid_t *ret, struct err *e)
{
	_close_ int report_read = -1, report_write = -1;
	pid_t caller = getpid();
	int report[2], code = 0;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	report_read = report[0];
	report_write = report[1];
	*ret = fork();
	if (*ret < 0)
		return err_sys(e, "%s", program);
	if (!*ret) {
		run(program, verb, in, out, caller);
		code = errno;
		(void)!write(report_write, &code, sizeof(code));
		_exit(127);
	}
	fd_close(&report_write);
	if (read(report_read, &code, sizeof(code)) != sizeof(code))
		return 0;
	(void)waitpid(*ret, NULL, 0);
	if (code == ENOENT)
		return err_set(e, EIO, "%s is not installed", program);
	return err_code(e, code, "%s", program);
}

/* Waits for something to read, or an end; -ECANCELED when it is wanted no more. */
static int wait_for(int fd, const _Atomic int *cancel, struct err *e)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (;;) {
		int n = poll(&p, 1, cancel ? LOOK_MS : -1);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (cancel && *cancel)
			return err_set(e, ECANCELED, "interrupted");
	}
}

static int read_answer(int fd, const _Atomic int *cancel, struct strbuf *out, struct err *e)
{
	char buf[4096];
	ssize_t n = 1;
	int r = 0;

	while (r >= 0 && n) {
		r = wait_for(fd, cancel, e);
		n = r < 0 ? 0 : read(fd, buf, sizeof(buf));
		if (n < 0 && errno != EINTR)
			r = err_sys(e, "read");
		else if (n > 0 && out->len + (size_t)n > HELPER_OUTPUT_MAX)
			r = err_set(e, EFBIG, "it says too much");
		else if (n > 0)
			strbuf_add(out, buf, (size_t)n);
	}
	explicit_bzero(buf, sizeof(buf));
	return r < 0 ? r : strbuf_check(out, e);
}

/* The end of it, which is ours to bring about where it was interrupted or says too much. */
static int end(pid_t pid, int r, const _Atomic int *cancel, int *ret_status, struct err *e)
{
	_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (r >= 0 && pidfd >= 0)
		r = wait_for(pidfd, cancel, e);
	if (r < 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(e, "wait");
	}
	return r;
}

static int check_name(const char *name, struct err *e)
{
	static const char allowed[] =
		"-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = strlen(name);

	if (!n || n > 64 || strspn(name, allowed) != n)
		return err_set(e, EINVAL, "not the name of a credential helper");
	return 0;
}

/* A pipe holds the little that a helper is told, so it can be written before the helper runs. */
static int input_pipe(const char *input, struct err *e)
{
	int fds[2], r;

	if (strlen(input) > 4096)
		return err_set(e, EINVAL, "too long for a credential helper");
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	r = io_write_all(fds[1], input, strlen(input), e);
	close(fds[1]);
	if (r < 0)
		close(fds[0]);
	return r < 0 ? r : fds[0];
}

int credentials_ask_helper(const char *name, const char *verb, const char *input,
			   const _Atomic int *cancel, struct strbuf *out, struct err *e)
{
	_free_ char *program = str_printf("docker-credential-%s", name);
	_close_ int in = -1, read_end = -1, write_end = -1;
	int fds[2], status, r;
	pid_t pid = -1;

	r = program ? check_name(name, e) : err_oom(e);
	if (r < 0)
		return r;
	in = input_pipe(input, e);
	if (in < 0)
		return in;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	read_end = fds[0];
	write_end = fds[1];
	r = start(program, verb, in, write_end, &pid, e);
	if (r < 0)
		return r;
	fd_close(&write_end);
	r = read_answer(read_end, cancel, out, e);
	fd_close(&read_end); /* a helper that still writes gets SIGPIPE */
	r = end(pid, r, cancel, &status, e);
	if (r < 0)
		return err_wrap(e, "%s", program);
	if (!status)
		return 0;
	if (strstr(strbuf_str(out), "credentials not found"))
		return err_set(e, ENOENT, "%s has none", program);
	/* The text that a failed helper prints is for people, by its protocol. */
	return err_set(e, EIO, "%s failed: %.200s", program, strbuf_str(out));
}
