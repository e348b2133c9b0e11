/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/slurm/step_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/str.h"

#define TERM_TIMEOUT_MS 3000
#define OUTPUT_BYTES_MAX (64u << 10)
#define LINE_BYTES_MAX 400
#define DIALECTS_ERROR "[ERROR] "

extern char **environ;

static void __attribute__((noreturn)) become(const struct step_child *c, char **env)
{
	int fds[3] = {c->in_fd, c->out_fd, c->err_fd};
	sigset_t none;

	if (fds[0] < 0)
		fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < 3; i++)
		fds[i] = fcntl(fds[i], F_DUPFD, 10);
	for (int i = 0; i < 3; i++) {
		if (fds[i] < 0 || dup2(fds[i], i) < 0)
			_exit(125);
	}
	close_range(3, ~0u, 0);
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(c->program ? c->program : "/proc/self/exe", c->argv->items, env);
	_exit(125);
}

static int make_env(const struct step_child *c, struct strv *ret, struct err *e)
{
	for (char **p = environ; *p; p++)
		strv_add(ret, *p);
	for (size_t i = 0; c->env && i < c->env->n; i++)
		strv_add(ret, c->env->items[i]);
	strv_settle_env(ret);
	return strv_check(ret, e);
}

int step_child_start(const struct step_child *c, pid_t *ret, struct err *e)
{
	_strv_ struct strv env = STRV_INIT;
	int r = make_env(c, &env, e);

	if (r < 0)
		return r;
	*ret = fork();
	if (*ret == 0)
		become(c, env.items);
	if (*ret < 0)
		return err_sys(e, "fork");
	setpgid(*ret, *ret); /* the first one counts */
	return 0;
}

int step_child_poll(int fd, int stop_fd, int timeout_ms, struct err *e)
{
	struct pollfd p[2] = {{.fd = fd, .events = POLLIN},
			      {.fd = stop_fd > 0 ? stop_fd : -1, .events = POLLIN}};
	int r;

	do
		r = poll(p, 2, timeout_ms);
	while (r < 0 && errno == EINTR);
	if (r > 0 && p[1].revents)
		return err_set(e, ECANCELED, "the step has ended before its container was there");
	return r < 0 ? err_sys(e, "poll") : r > 0;
}

int step_child_reap(pid_t pid)
{
	siginfo_t ended;
	int status = 0;

	while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
	}
	kill(-pid, SIGKILL); /* not waited for: the number is its own */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	return status;
}

/*
 * The child may tidy up what it was in the middle of. The number is its own until it is waited for.
 */
static void end_group(pid_t pid, int pidfd)
{
	kill(-pid, SIGTERM);
	(void)step_child_poll(pidfd, 0, TERM_TIMEOUT_MS, NULL);
	kill(-pid, SIGKILL);
}

static int wait_for(pid_t pid, int stop_fd, struct err *e)
{
	_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int status, r = 0;

	if (stop_fd > 0 && pidfd >= 0)
		r = step_child_poll(pidfd, stop_fd, -1, e);
	if (r < 0)
		end_group(pid, pidfd);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	if (r < 0)
		return r;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}

/* A memfd has no reader that could be too slow, nor a writer that waits for one. */
static int memory(struct err *e)
{
	int fd = memfd_create("csbx-output", MFD_CLOEXEC);

	return fd < 0 ? err_sys(e, "memfd_create") : fd;
}

/* As much as a message may have; a program that says more is not the worse for it. */
static int take(int fd, struct strbuf *into, struct err *e)
{
	_free_ char *text = NULL;
	struct stat st;
	size_t len;
	int r;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "fstat");
	len = (size_t)st.st_size < OUTPUT_BYTES_MAX ? (size_t)st.st_size : OUTPUT_BYTES_MAX;
	text = malloc(len + 1);
	if (!text)
		return err_oom(e);
	r = io_pread_exact(fd, text, len, 0, e);
	if (r >= 0)
		strbuf_add(into, text, len);
	return r < 0 ? r : strbuf_check(into, e);
}

/* Why it failed, which is then not said a second time: taken off the text. */
static int take_last_line(struct strbuf *said, const char *what, struct err *e)
{
	const char *text = strbuf_str(said), *line = text;
	size_t len = said->len, shown;

	while (len && text[len - 1] == '\n')
		len--;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			line = text + i + 1;
	}
	if (!len)
		return err_set(e, ECANCELED, "%s failed", what);
	shown = (size_t)(text + len - line);
	if (shown <= LINE_BYTES_MAX)
		len = (size_t)(line - text);
	if (str_has_prefix(line, DIALECTS_ERROR) && shown > strlen(DIALECTS_ERROR)) {
		line += strlen(DIALECTS_ERROR);
		shown -= strlen(DIALECTS_ERROR);
	}
	err_set(e, ECANCELED, "%.*s", (int)(shown > LINE_BYTES_MAX ? LINE_BYTES_MAX : shown), line);
	said->len = len;
	said->data[len] = 0;
	return -ECANCELED;
}

int step_child_run(struct step_child *c, struct strbuf *out, struct strbuf *said, struct err *e)
{
	_close_ int out_fd = memory(e), err_fd = memory(e);
	_strbuf_ struct strbuf own = STRBUF_INIT;
	struct err stopped = ERR_INIT;
	pid_t pid;
	int r, ended;

	if (out_fd < 0 || err_fd < 0)
		return -errno;
	c->out_fd = out ? out_fd : err_fd;
	c->err_fd = err_fd;
	r = step_child_start(c, &pid, e);
	if (r < 0)
		return r;
	ended = wait_for(pid, c->stop_fd, &stopped);
	r = take(err_fd, &own, e);
	if (stopped.code) {
		*e = stopped;
		r = ended;
	}
	if (r >= 0 && ended < 0)
		r = take_last_line(&own, c->program ? c->program : c->argv->items[1], e);
	if (said)
		strbuf_add(said, strbuf_str(&own), own.len);
	if (r >= 0 && out)
		r = take(out_fd, out, e);
	return r;
}
