/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/keeper.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/spank/launch.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define READY_TIMEOUT_MS 60000
#define END_TIMEOUT_MS 30000
#define SAVE_TIMEOUT_MS (3600 * 1000) /* a holder that was stopped must not keep the node */
#define GONE_TIMEOUT_MS 2000
#define RUN_TIMEOUT_MS 60000
#define LINE_BYTES 1000
#define OUTPUT_BYTES (1 << 20) /* a program gone wild does not fill the user's terminal */

/* One byte or the end: 1, 0, -errno. */
static int read_byte(int fd, int timeout_ms, char *ret)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	ssize_t n;
	int r;

	do
		r = poll(&p, 1, timeout_ms);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return -ETIMEDOUT;
	if (r < 0)
		return -errno;
	n = recv(fd, ret, 1, 0);
	return n < 0 ? (errno == ECONNRESET ? 0 : -errno) : (int)n;
}

static void kill_it(struct spank_keeper *k)
{
	if (k->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, k->pidfd, SIGKILL, NULL, 0);
}

int spank_keeper_start(struct spank_keeper *k, struct spank_launch *l, struct err *e)
{
	int pair[2], r;
	_close_ int theirs = -1;
	pid_t pid;
	char byte;

	k->out_fd = memfd_create("csbx-step", MFD_CLOEXEC);
	if (k->out_fd < 0)
		return err_sys(e, "memfd_create");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	k->life_fd = pair[0];
	theirs = pair[1];
	l->out_fd = k->out_fd;
	l->life_fd = theirs;
	r = spank_launch(l, &pid, e);
	if (r < 0)
		return r;
	/* Not reaped before this returns: slurmstepd waits for children once it has tasks. */
	k->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	fd_close(&theirs);
	r = read_byte(k->life_fd, READY_TIMEOUT_MS, &byte);
	if (r == 1)
		return 0;
	kill_it(k);
	return r < 0 ? err_code(e, r, "the container's holder does not answer")
		     : err_set(e, ECANCELED, "the container's holder could not be started");
}

/* SLURM removes the control groups next, and does not try twice. */
static void wait_gone(const struct spank_keeper *k)
{
	struct pollfd p = {.fd = k->pidfd, .events = POLLIN};

	if (k->pidfd >= 0)
		(void)poll(&p, 1, GONE_TIMEOUT_MS);
}

int spank_keeper_finish(struct spank_keeper *k, bool saves, struct err *e)
{
	char byte = 's', last = 0;
	int r;

	if (k->life_fd < 0)
		return 0;
	/* It may have ended long ago, of itself or with the step: then there is nothing to say. */
	r = send(k->life_fd, &byte, 1, MSG_NOSIGNAL) < 0 ? -errno : 0;
	shutdown(k->life_fd, SHUT_WR);
	while ((r = read_byte(k->life_fd, saves ? SAVE_TIMEOUT_MS : END_TIMEOUT_MS, &byte)) == 1)
		last = byte;
	fd_close(&k->life_fd);
	if (r == -ETIMEDOUT)
		kill_it(k);
	wait_gone(k);
	if (r < 0)
		return err_code(e, r, "the container's holder does not end");
	if (last == 'f')
		return err_set(e, ECANCELED, "the container's end went wrong");
	return last != 'd';
}

/*
 * A store on a file server that hangs must not keep the node from its next job. Somebody else in
 * the daemon may have waited for the child, and learnt what we do not.
 */
static int wait_for(pid_t pid)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int status;

	/* Without one it has been waited for, and as root the number may be anything's by now. */
	if (p.fd >= 0 && poll(&p, 1, RUN_TIMEOUT_MS) != 1)
		syscall(SYS_pidfd_send_signal, p.fd, SIGKILL, NULL, 0);
	fd_close(&p.fd);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno == ECHILD ? 0 : -errno;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}

int spank_keeper_run(struct spank_launch *l, void (*show)(const char *line), struct err *e)
{
	struct spank_keeper output = SPANK_KEEPER_INIT;
	pid_t pid;
	int r;

	output.out_fd = memfd_create("csbx-end", MFD_CLOEXEC);
	if (output.out_fd < 0)
		return err_sys(e, "memfd_create");
	l->out_fd = output.out_fd;
	l->life_fd = -1;
	r = spank_launch(l, &pid, e);
	if (r >= 0 && wait_for(pid) < 0)
		r = err_set(e, ECANCELED, "%s failed", l->path);
	spank_keeper_show(&output, show);
	spank_keeper_close(&output);
	return r;
}

static void show_line(void (*show)(const char *line), const char *text, size_t len)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_add_escaped(&line, text, len < LINE_BYTES ? len : LINE_BYTES);
	if (line.len)
		show(strbuf_str(&line));
}

void spank_keeper_show(struct spank_keeper *k, void (*show)(const char *line))
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	char chunk[4096];
	ssize_t n;

	while (k->out_fd >= 0 && k->shown < OUTPUT_BYTES &&
	       (n = pread(k->out_fd, chunk, sizeof(chunk), k->shown)) > 0) {
		strbuf_add(&text, chunk, (size_t)n);
		k->shown += n;
	}
	for (const char *p = strbuf_str(&text); *p;) {
		size_t len = strcspn(p, "\n");

		show_line(show, p, len);
		p += len + (p[len] == '\n');
	}
}

void spank_keeper_close(struct spank_keeper *k)
{
	fd_close(&k->life_fd);
	fd_close(&k->out_fd);
	fd_close(&k->pidfd);
}
