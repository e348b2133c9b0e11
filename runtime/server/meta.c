/* SPDX-License-Identifier: Apache-2.0 */

/* csbx's side of csbx-meta and of csbx-squashd's one-shot mode. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/settings/bundle_self.h"
#include "runtime/settings/paths.h"
#include "runtime/server/client.h"
#include "runtime/server/start.h"

#define META_TIMEOUT_MS 10000
#define META_BYTES_MAX (16u << 20)
#define MESSAGE_BYTES_MAX 4096

/*
 * Reads to the end of the pipe; the helper may be stuck on a dead file system or spin on a trick.
 */
static int read_output(int fd, size_t max, int timeout_ms, struct strbuf *out, struct err *e)
{
	int64_t deadline = (int64_t)clock_monotonic_ms() + timeout_ms;
	char chunk[16384];

	for (;;) {
		int64_t left = timeout_ms < 0 ? -1 : deadline - (int64_t)clock_monotonic_ms();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;
		int r;

		if (timeout_ms >= 0 && left <= 0)
			return err_set(e, ETIMEDOUT, "no answer within %d s", timeout_ms / 1000);
		r = poll(&p, 1, (int)left);
		if (r <= 0) {
			if (r < 0 && errno != EINTR)
				return err_sys(e, "poll");
			continue;
		}
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			return strbuf_check(out, e);
		if ((size_t)n > max - out->len)
			return err_set(e, EFBIG, "answer of more than %zu bytes", max);
		strbuf_add(out, chunk, (size_t)n);
	}
}

struct tool {
	const char *const *argv; /* its name first */
	const int *fds;
	int n_fds, timeout_ms;
	size_t max_bytes;
};

/*
 * Runs a reader of images and takes its stdout. A status of 0 means it is the answer, 125 that it
 * is the reason; anything else, a signal above all, is what a damaged image may lead to.
 */
static int run_tool(const struct paths *paths, const struct tool *t, struct strbuf *out,
		    struct err *e)
{
	_free_ char *program = paths_helper(paths, t->argv[0]);
	_close_ int rd = -1, wr = -1;
	int fds[2], status = 0, r;
	pid_t pid;

	if (!program)
		return err_oom(e);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	rd = fds[0];
	wr = fds[1];
	pid = squashd_run(&(struct squashd_exec){.program = program,
						 .argv = t->argv,
						 .fds = t->fds,
						 .n_fds = t->n_fds,
						 .out_fd = wr},
			  e);
	fd_close(&wr);
	if (pid < 0)
		return pid;
	r = read_output(rd, t->max_bytes, t->timeout_ms, out, e);
	if (r < 0)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(e, "wait for %s", t->argv[0]);
	}
	if (r < 0)
		return err_wrap(e, "read image");
	if (WIFSIGNALED(status))
		return err_set(e, EIO, "damaged image: its reader died of signal %d",
			       WTERMSIG(status));
	if (WEXITSTATUS(status) == 125 && out->len < MESSAGE_BYTES_MAX)
		return err_set(e, EINVAL, "%s", strbuf_str(out));
	return WEXITSTATUS(status)
		       ? err_set(e, EIO, "image reader failed (status %d)", WEXITSTATUS(status))
		       : 0;
}

/* A bundle has no csbx-meta: it has what it would say. */
static int read_bundle(const struct paths *paths, struct strbuf *record, struct err *e)
{
	_bundle_config_ struct bundle_config config = {0};
	int r = bundle_self_config(paths->bundle, &config, e);

	if (r < 0)
		return r;
	strbuf_add(record, config.meta, config.meta_len);
	return strbuf_check(record, e);
}

int squashd_read_meta(const struct paths *paths, int image_fd, struct strbuf *record, struct err *e)
{
	static const char *const argv[] = {"csbx-meta", "3", NULL};
	const struct tool t = {.argv = argv,
			       .fds = &image_fd,
			       .n_fds = 1,
			       .timeout_ms = META_TIMEOUT_MS,
			       .max_bytes = META_BYTES_MAX};

	strbuf_reset(record);
	if (paths->bundle)
		return read_bundle(paths, record, e);
	return run_tool(paths, &t, record, e);
}

int squashd_unpack(const struct paths *paths, int image_fd, int dirfd, bool lies_above,
		   struct err *e)
{
	const char *const argv[] = {"csbx-squashd", lies_above ? "--unpack-above" : "--unpack", "3",
				    "4", NULL};
	_strbuf_ struct strbuf said = STRBUF_INIT;
	int fds[] = {image_fd, dirfd};
	const struct tool t = {.argv = argv,
			       .fds = fds,
			       .n_fds = 2,
			       .timeout_ms = -1,
			       .max_bytes = MESSAGE_BYTES_MAX};

	return run_tool(paths, &t, &said, e);
}
