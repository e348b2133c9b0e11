/* SPDX-License-Identifier: Apache-2.0 */

/*
 * POST /containers/?/exec, POST /exec/?/start and resize, GET /exec/?/json. The exec's session is a
 * child of the connection's process, which passes its streams on; it goes on when the client goes.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/daemon/exec.h"
#include "cmd/docker/daemon/exec_session.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/call/doze.h"
#include "cmd/engine/call/wake.h"
#include "cmd/engine/stream/stream.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/json.h"
#include "runtime/stream/detach_keys.h"

static int read_body(const struct json *body, struct docker_exec_args *a, struct err *e)
{
	bool privileged = false;
	int r = call_get_strv(body, "Cmd", &a->argv, e);

	if (r < 0 || (r = call_get_strv(body, "Env", &a->env, e)) < 0 ||
	    (r = call_get_str(body, "User", &a->user, e)) < 0 ||
	    (r = call_get_str(body, "WorkingDir", &a->workdir, e)) < 0 ||
	    (r = call_get_str(body, "DetachKeys", &a->detach_keys, e)) < 0 ||
	    (r = call_get_bool(body, "Tty", &a->tty, e)) < 0 ||
	    (r = call_get_bool(body, "AttachStdin", &a->interactive, e)) < 0 ||
	    (r = call_get_size(body, &a->tty_rows, &a->tty_columns, e)) < 0 ||
	    (r = call_get_bool(body, "Privileged", &privileged, e)) < 0)
		return r;
	if (privileged)
		return err_set(e, EINVAL,
			       "Privileged is not available in csbx: a container never has more "
			       "rights than its user");
	return a->argv.n ? 0 : err_set(e, EINVAL, "No exec command specified");
}

void call_exec_create(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_exec_args a = {0};
	char id[DOCKER_EXEC_ID_BYTES];
	_json_ struct json *body = NULL;
	int r;

	if (call_read_json(k, &body) < 0)
		return;
	r = read_body(body, &a, &f.err);
	if (r >= 0)
		r = docker_exec_create(&k->cmd->paths, k->item, &a, id, &f);
	if (r < 0) {
		call_reply_fault(k, &f);
	} else {
		struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT);

		docker_value_str(v, "Id", id);
		call_reply_value(k, 201, v);
	}
	docker_exec_args_done(&a);
}

void call_exec_inspect(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v = NULL;

	if (docker_exec_value(&k->cmd->paths, k->item, &v, &f) < 0)
		call_reply_fault(k, &f);
	else
		call_reply_value(k, 200, v);
}

void call_exec_resize(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	unsigned rows, columns;

	if (call_query_size(k, &rows, &columns) < 0)
		return;
	if (docker_exec_resize(&k->cmd->paths, k->item, rows, columns, &f) < 0)
		call_reply_fault(k, &f);
	else
		http_reply_empty(k->conn, 200);
}

/* --- start ---------------------------------------------------------------------------------- */

/*
 * The child: nothing of the client's connection but the streams. The connection is a pipe by now:
 * why it was not started can only be told as output, as docker's daemon does.
 */
static _Noreturn void be_session(struct call *k, struct stream *ours, const int theirs[3])
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	int out = fcntl(theirs[1], F_DUPFD_CLOEXEC, 3);

	http_conn_leave(k->conn);
	stream_close(ours); /* else its input would never end */
	if (docker_exec_start(&k->cmd->paths, k->item, theirs, &f) < 0 && out >= 0) {
		_free_ char *text = str_printf("%s\r\n", f.err.msg);

		if (text)
			(void)io_write_all(out, text, strlen(text), NULL);
	}
	_exit(0);
}

static int begin_session(struct call *k, struct stream *ours, int theirs[3], pid_t *ret,
			 struct err *e)
{
	*ret = fork();
	if (!*ret)
		be_session(k, ours, theirs);
	for (int i = 0; i < 3; i++)
		fd_close(&theirs[i]);
	return *ret < 0 ? err_sys(e, "fork") : 0;
}

/* An exec whose streams a client has. */
struct attached {
	struct call *call;
	struct doze_stream streams;
};

static void doze_off(void *arg, const struct pollfd *p, nfds_t n)
{
	struct attached *a = arg;
	struct doze d;

	call_doze_begin(a->call, DOZE_EXEC, a->call->item, &d);
	d.stream.session = a->streams.session;
	call_doze_stream(&d, &d.stream, &a->streams.stream);
	call_doze(a->call, &d, p, n);
}

static void pass_on(struct attached *a, const char *already, size_t already_len)
{
	struct call *k = a->call;
	struct stream *s = &a->streams.stream;
	int gone;

	k->conn->at = k->conn->end;
	gone = stream_run(s, already, already_len);
	if (s->is_left)
		docker_exec_is_left(&k->cmd->paths, k->item);
	while (!gone && waitpid(a->streams.session, NULL, 0) < 0 && errno == EINTR)
		;
	(void)shutdown(k->conn->fd, SHUT_WR);
}

static void run_attached(struct call *k, bool tty, bool interactive, const struct detach_keys *keys)
{
	/* A terminal has an input in any case: whose end it would see as an end of file. */
	const unsigned which = (interactive || tty ? 1u : 0) | 2u | (tty ? 0 : 4u);
	struct attached a = {.call = k, .streams = {.keys = *keys}};
	struct stream *s = &a.streams.stream;
	struct err e = ERR_INIT;
	int theirs[3];

	*s = (struct stream){.client = k->conn->fd,
			     .is_raw = tty,
			     .keeps_in = tty,
			     .keys = tty && interactive ? &a.streams.keys : NULL,
			     .in = -1,
			     .out = -1,
			     .err = -1,
			     .link = -1,
			     .rest = {doze_off, &a}};
	if (stream_open(s, which, theirs, &e) < 0) {
		call_reply_err(k, &e);
		return;
	}
	if (http_hijack(k->conn, "application/vnd.docker.raw-stream") < 0 ||
	    begin_session(k, s, theirs, &a.streams.session, &e) < 0) {
		for (int i = 0; i < 3; i++)
			fd_close(&theirs[i]);
		stream_close(s);
		k->conn->must_close = true;
		return;
	}
	pass_on(&a, k->conn->buf + k->conn->at, k->conn->end - k->conn->at);
}

void call_exec_wake(struct call *k, struct doze *d)
{
	struct attached a = {k, d->stream};

	call_wake_stream(&a.streams, (struct idle_rest){doze_off, &a});
	pass_on(&a, NULL, 0);
}

/* In a process that has nothing of the connection. */
static void run_detached(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	int ends[2], r;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		http_reply_error(k->conn, 500, "pipe failed");
		return;
	}
	child = fork();
	if (!child) {
		close(ends[0]);
		http_conn_leave(k->conn);
		if (docker_exec_start_detached(&k->cmd->paths, k->item, &f) >= 0)
			f = (struct docker_fault)DOCKER_FAULT_INIT;
		(void)io_write_all(ends[1], &f, sizeof(f), NULL);
		_exit(0);
	}
	close(ends[1]);
	r = child < 0 ? -EIO : io_read_exact(ends[0], &f, sizeof(f), NULL);
	close(ends[0]);
	if (child > 0)
		(void)waitpid(child, NULL, 0);
	if (r < 0)
		http_reply_error(k->conn, 500, "the process that was to start the exec died");
	else if (f.err.code || f.status)
		call_reply_fault(k, &f);
	else
		http_reply_empty(k->conn, 200);
}

/* Before the connection becomes a pipe, on which no status can be told any more. */
static int check_can_start(struct call *k, struct docker_fault *f)
{
	_docker_value_ struct docker_value *v = NULL;
	const struct docker_value *running, *code;
	int r = docker_exec_value(&k->cmd->paths, k->item, &v, f);

	if (r < 0)
		return r;
	running = docker_value_find(v, "Running");
	code = docker_value_find(v, "ExitCode");
	if (running && running->number)
		return docker_fault(f, DOCKER_CONFLICT, EBUSY,
				    "Error: Exec command %s is already running", k->item);
	if (code && code->kind == DOCKER_VALUE_INT)
		return docker_fault(f, DOCKER_CONFLICT, EBUSY,
				    "Error: Exec command %s has already run", k->item);
	return 0;
}

void call_exec_start(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	bool detach = false, tty = false, interactive = false;
	_json_ struct json *body = NULL;
	uint32_t rows = 0, columns = 0;
	struct detach_keys keys;
	int r;

	if (call_read_json(k, &body) < 0)
		return;
	r = call_get_bool(body, "Detach", &detach, &f.err);
	if (r >= 0)
		r = call_get_size(body, &rows, &columns, &f.err);
	if (r >= 0)
		r = docker_exec_look(&k->cmd->paths, k->item, &tty, &interactive, &keys, &f);
	if (r >= 0)
		r = check_can_start(k, &f);
	if (r >= 0 && tty && rows)
		r = docker_exec_resize(&k->cmd->paths, k->item, rows, columns, &f);
	if (r < 0)
		call_reply_fault(k, &f);
	else if (detach)
		run_detached(k);
	else
		run_attached(k, tty, interactive, &keys);
}
