/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/json.h"
#include "runtime/base/str.h"

#define LINE_MAX_BYTES (64u << 10)
#define PIECE_BYTES (64u << 10)

static _Noreturn void be_helper(const char *const *words, const char *secret, int in, int out)
{
	static char program[] = "csbx-image";
	size_t n = 0;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char **argv;

	while (words[n])
		n++;
	argv = calloc(n + 2, sizeof(*argv));
	if (!argv)
		_exit(CMD_EXIT_FAILED);
	argv[0] = program;
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = (char *)words[i];
	signal(SIGPIPE, SIG_DFL);
	if (secret && setenv(HELPER_SECRET, secret, 1) < 0)
		_exit(CMD_EXIT_FAILED);
	if (dup2(in >= 0 ? in : null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(null, 2) >= 0)
		(void)cmd_hand_over(PROGRAM_IMAGE, argv, NULL);
	_exit(CMD_EXIT_FAILED);
}

int helper_start(struct helper *h, const char *const *words, const char *secret, bool wants_in,
		 struct err *e)
{
	int in[2] = {-1, -1}, out[2];

	*h = (struct helper)HELPER_INIT;
	if (pipe2(out, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	if (wants_in && pipe2(in, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return err_sys(e, "pipe");
	}
	h->pid = fork();
	if (!h->pid)
		be_helper(words, secret, in[0], out[1]);
	fd_close(&in[0]);
	fd_close(&out[1]);
	h->in = in[1];
	h->out = out[0];
	return h->pid < 0 ? err_sys(e, "fork") : 0;
}

int helper_feed(struct call *k, struct helper *h, struct err *e)
{
	_free_ char *piece = malloc(PIECE_BYTES);
	ssize_t n = 0;

	if (!piece)
		return err_oom(e);
	/* It may have read all it wants: then its line says what came of it. */
	while ((n = http_read_body(k->conn, piece, PIECE_BYTES, e)) > 0) {
		if (io_write_all(h->in, piece, (size_t)n, NULL) < 0)
			return 0;
	}
	return n < 0 ? (int)n : 0;
}

/* Byte by byte: the bytes that follow are not ours to read. */
int helper_read_line(struct helper *h, struct err *e)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;
	char c;

	while (line.len < LINE_MAX_BYTES) {
		ssize_t n = read(h->out, &c, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(e, EIO, "csbx-image did not answer");
		if (c == '\n')
			return json_parse(strbuf_str(&line), line.len, LINE_MAX_BYTES, &h->said, e);
		strbuf_addch(&line, c);
	}
	return err_set(e, EIO, "csbx-image said too much");
}

bool helper_reply_failure(struct call *k, const struct helper *h, int r, const struct err *e)
{
	int64_t status = 0;
	const char *message = "";

	if (r < 0) {
		call_reply_err(k, e);
		return true;
	}
	if (call_get_int(h->said, "status", &status, NULL) < 0 || !status)
		return false;
	(void)call_get_str(h->said, "message", &message, NULL);
	http_reply_error(k->conn, (int)status, message);
	return true;
}

/* 1: there is something to read, or the end of it; 0: the client has gone. */
static int wait_for_piece(struct call *k, const struct helper *h)
{
	struct pollfd p[] = {{.fd = h->out, .events = POLLIN}, {.fd = k->conn->fd}};

	while (poll(p, 2, -1) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return p[0].revents || !(p[1].revents & (POLLHUP | POLLERR));
}

void helper_relay(struct call *k, struct helper *h, const struct http_reply *reply)
{
	_free_ char *piece = malloc(PIECE_BYTES);
	ssize_t n = -1;

	if (!piece || http_reply_begin(k->conn, reply) < 0)
		return;
	while (wait_for_piece(k, h)) {
		n = read(h->out, piece, PIECE_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0 && http_reply_piece(k->conn, piece, (size_t)n) >= 0)
			continue;
		if (n <= 0)
			return;
		break;
	}
	/* No process is there for the rest. */
	k->conn->must_close = true;
	(void)kill(h->pid, SIGTERM);
}

bool helper_end(struct helper *h)
{
	int status = -1;

	fd_close(&h->in);
	fd_close(&h->out);
	while (h->pid > 0 && waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	json_free(h->said);
	h->said = NULL;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

void helper_answer(struct call *k, const struct helper_ask *ask)
{
	struct helper h;
	struct err e = ERR_INIT;
	bool failed;
	int r = helper_start(&h, ask->words, ask->secret, ask->wants_in, &e);

	if (r >= 0 && ask->wants_in)
		r = helper_feed(k, &h, &e);
	/* Half a body is not to be taken for a whole one. */
	if (r < 0 && h.pid > 0)
		(void)kill(h.pid, SIGKILL);
	fd_close(&h.in);
	if (r >= 0)
		r = helper_read_line(&h, &e);
	failed = helper_reply_failure(k, &h, r, &e);
	if (!failed)
		helper_relay(k, &h, ask->reply);
	if (helper_end(&h) && !failed)
		http_reply_end(k->conn);
	else if (!failed)
		k->conn->must_close = true;
}
