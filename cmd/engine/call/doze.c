/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/doze.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define PROGRAM "csbx-doze" /* runtime/helpers/doze/doze.c */

void call_doze_begin(const struct call *k, enum doze_kind kind, const char *item, struct doze *d)
{
	const struct http_conn *c = k->conn;

	memset(d, 0, sizeof(*d));
	d->kind = kind;
	d->minor = k->minor;
	d->client = c->fd;
	d->is_old = c->head.is_old;
	d->is_head = c->head.method == HTTP_HEAD;
	d->keeps_alive = c->head.keeps_alive;
	d->must_close = c->must_close;
	/* A longer one is refused by call_doze(). */
	snprintf(d->item, sizeof(d->item), "%s", item);
	call_doze_fd(d, c->fd);
}

void call_doze_fd(struct doze *d, int fd)
{
	if (fd >= 0 && d->n_fds < DOZE_FDS_MAX)
		d->fds[d->n_fds++] = fd;
}

void call_doze_stream(struct doze *d, struct doze_stream *ret, const struct stream *s)
{
	ret->stream = *s;
	ret->has_keys = s->keys;
	if (s->keys)
		ret->keys = *s->keys;
	call_doze_fd(d, s->in);
	call_doze_fd(d, s->out);
	call_doze_fd(d, s->err);
	call_doze_fd(d, s->link);
}

static void keep_open(const struct doze *d, bool keep)
{
	for (unsigned i = 0; i < d->n_fds; i++)
		(void)fcntl(d->fds[i], F_SETFD, keep ? 0 : FD_CLOEXEC);
}

static void add_polls(struct strbuf *out, const struct pollfd *p, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++) {
		if (p[i].fd >= 0)
			strbuf_addf(out, "%s%d:%d", out->len ? "," : "", p[i].fd, p[i].events);
	}
}

static void add_state(struct strbuf *out, const struct doze *d)
{
	const unsigned char *bytes = (const unsigned char *)d;

	for (size_t i = 0; i < sizeof(*d); i++)
		strbuf_addf(out, "%02x", bytes[i]);
}

void call_doze(const struct call *k, struct doze *d, const struct pollfd *p, nfds_t n)
{
	_free_ char *program = paths_helper(&k->cmd->paths, PROGRAM);
	_strbuf_ struct strbuf polls = STRBUF_INIT, state = STRBUF_INIT;
	_close_ int exe = -1;
	char exe_text[16];

	/* What a client has sent already would be lost. */
	if (k->conn->at < k->conn->end)
		return;
	if (strlen(d->item) + 1 == sizeof(d->item) || d->n_fds == DOZE_FDS_MAX || !program)
		return;
	exe = open("/proc/self/exe", O_PATH); /* stays open across both execs */
	if (exe < 0)
		return;
	d->exe_fd = exe;
	snprintf(exe_text, sizeof(exe_text), "%d", exe);
	add_polls(&polls, p, n);
	add_state(&state, d);
	if (!polls.failed && !state.failed) {
		const char *const argv[] = {PROGRAM,   exe_text,   polls.data, "csbx-engine",
					    CALL_WAKE, state.data, NULL};

		keep_open(d, true);
		execv(program, (char **)argv);
		keep_open(d, false);
	}
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int call_doze_read(const char *text, struct doze *ret, struct err *e)
{
	unsigned char *bytes = (unsigned char *)ret;

	if (strlen(text) != 2 * sizeof(*ret))
		return err_set(e, EINVAL, "the state of a stream is not this program's");
	for (size_t i = 0; i < sizeof(*ret); i++) {
		const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return err_set(e, EINVAL, "the state of a stream is not this program's");
		bytes[i] = (unsigned char)(high << 4 | low);
	}
	keep_open(ret, false);
	fd_close(&ret->exe_fd);
	return 0;
}

void call_wake_stream(struct doze_stream *d, struct idle_rest rest)
{
	d->stream.keys = d->has_keys ? &d->keys : NULL;
	d->stream.rest = rest;
}
