/* SPDX-License-Identifier: Apache-2.0 */

/*
 * HEAD, GET and PUT /containers/?/archive. csbx-image does the work, as a child on pipes
 * (cmd/image/archive_pipe.h): this program knows no archives.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/show/value.h"
#include "cmd/engine/call/call.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/json.h"

#define LINE_MAX_BYTES (64u << 10)

struct helper {
	pid_t pid;
	int in, out; /* our ends: -1: none */
	struct json *said;
};
#define HELPER_INIT                 \
	{                           \
		.in = -1, .out = -1 \
	}

static _Noreturn void be_helper(struct call *k, const char *verb, const char *path, int in, int out)
{
	char program[] = "csbx-image", word[] = "__archive";
	char *argv[] = {program, word, (char *)verb, (char *)k->item, (char *)path, NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	signal(SIGPIPE, SIG_DFL);
	if (dup2(in >= 0 ? in : null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(null, 2) >= 0)
		(void)cmd_hand_over(PROGRAM_IMAGE, argv, NULL);
	_exit(CMD_EXIT_FAILED);
}

static int start_helper(struct call *k, const char *verb, const char *path, bool wants_in,
			struct helper *h, struct err *e)
{
	int in[2] = {-1, -1}, out[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	if (wants_in && pipe2(in, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return err_sys(e, "pipe");
	}
	h->pid = fork();
	if (!h->pid)
		be_helper(k, verb, path, in[0], out[1]);
	fd_close(&in[0]);
	fd_close(&out[1]);
	h->in = in[1];
	h->out = out[0];
	return h->pid < 0 ? err_sys(e, "fork") : 0;
}

/* Its line, byte by byte: what follows is a tar's. */
static int read_line(struct helper *h, struct err *e)
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

/* Whether it has done all it was to do. */
static bool end_helper(struct helper *h)
{
	int status = -1;

	fd_close(&h->in);
	fd_close(&h->out);
	while (h->pid > 0 && waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	json_free(h->said);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* It has failed, and the client was told. */
static bool reply_failure(struct call *k, const struct helper *h, int r, const struct err *e)
{
	int64_t status = 0;
	const char *message = "";

	if (r < 0) {
		http_reply_error(k->conn, 500, e->msg);
		return true;
	}
	if (call_get_int(h->said, "status", &status, NULL) < 0 || !status)
		return false;
	(void)call_get_str(h->said, "message", &message, NULL);
	http_reply_error(k->conn, (int)status, message);
	return true;
}

static char *stat_header(const struct json *said)
{
	int64_t size = 0, mode = 0, seconds = 0, ns = 0;
	_strbuf_ struct strbuf text = STRBUF_INIT, coded = STRBUF_INIT;
	const char *name = "", *target = "";
	_value_ struct value *v = value_new(VALUE_STRUCT);

	(void)call_get_str(said, "name", &name, NULL);
	(void)call_get_str(said, "linkTarget", &target, NULL);
	(void)call_get_int(said, "size", &size, NULL);
	(void)call_get_int(said, "mode", &mode, NULL);
	(void)call_get_int(said, "mtime_s", &seconds, NULL);
	(void)call_get_int(said, "mtime_ns", &ns, NULL);
	value_str(v, "name", name);
	value_int(v, "size", size);
	value_int(v, "mode", mode);
	if (seconds > 0 || ns)
		value_time(v, "mtime", (uint64_t)seconds * 1000000000u + (uint64_t)ns);
	else
		value_str(v, "mtime", "1970-01-01T00:00:00Z");
	value_str(v, "linkTarget", target);
	if (value_json(v, false, &text, NULL) < 0)
		return NULL;
	base64_encode(strbuf_str(&text), text.len, &coded);
	return str_printf("X-Docker-Container-Path-Stat: %s\r\n", strbuf_str(&coded));
}

static int read_path(struct call *k, char **ret)
{
	if (call_query(k, "path", ret) < 0)
		return -EINVAL;
	if (*ret && **ret)
		return 0;
	http_reply_error(k->conn, 400, "bad parameter: missing path");
	return -EINVAL;
}

void call_archive_head(struct call *k)
{
	struct helper h = HELPER_INIT;
	_free_ char *path = NULL, *lines = NULL;
	struct err e = ERR_INIT;
	int r;

	if (read_path(k, &path) < 0)
		return;
	r = start_helper(k, "stat", path, false, &h, &e);
	if (r >= 0)
		r = read_line(&h, &e);
	if (!reply_failure(k, &h, r, &e)) {
		lines = stat_header(h.said);
		http_reply(k->conn, &(struct http_reply){.status = 200, .lines = lines}, NULL, 0);
	}
	(void)end_helper(&h);
}

static void send_tar(struct call *k, struct helper *h)
{
	_free_ char *lines = stat_header(h->said), *piece = malloc(65536);
	const struct http_reply reply = {200, "application/x-tar", lines};
	ssize_t n = -1;

	if (!piece || http_reply_begin(k->conn, &reply) < 0)
		return;
	while ((n = read(h->out, piece, 65536)) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0 && http_reply_piece(k->conn, piece, (size_t)n) < 0)
			break;
	}
}

void call_archive_get(struct call *k)
{
	struct helper h = HELPER_INIT;
	_free_ char *path = NULL;
	struct err e = ERR_INIT;
	bool failed;
	int r;

	if (read_path(k, &path) < 0)
		return;
	r = start_helper(k, "get", path, false, &h, &e);
	if (r >= 0)
		r = read_line(&h, &e);
	failed = reply_failure(k, &h, r, &e);
	if (!failed)
		send_tar(k, &h);
	/* A tar that breaks off has no last chunk. */
	if (end_helper(&h) && !failed)
		http_reply_end(k->conn);
	else if (!failed)
		k->conn->must_close = true;
}

/* Until the body's end, or until it reads no more: then its line says why. */
static int feed(struct call *k, struct helper *h, struct err *e)
{
	_free_ char *piece = malloc(65536);
	ssize_t n = 0;

	if (!piece)
		return err_set(e, ENOMEM, "out of memory");
	while ((n = http_read_body(k->conn, piece, 65536, e)) > 0) {
		if (io_write_all(h->in, piece, (size_t)n, NULL) < 0)
			return 0;
	}
	return n < 0 ? (int)n : 0;
}

void call_archive_put(struct call *k)
{
	struct helper h = HELPER_INIT;
	_free_ char *path = NULL;
	struct err e = ERR_INIT;
	int r;

	if (read_path(k, &path) < 0)
		return;
	r = start_helper(k, "put", path, true, &h, &e);
	if (r >= 0)
		r = feed(k, &h, &e);
	/* Half a tar is not to be taken for a whole one. */
	if (r < 0 && h.pid > 0)
		(void)kill(h.pid, SIGKILL);
	fd_close(&h.in);
	if (r >= 0)
		r = read_line(&h, &e);
	if (!reply_failure(k, &h, r, &e))
		http_reply_empty(k->conn, 200);
	(void)end_helper(&h);
}
