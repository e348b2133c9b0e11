/* SPDX-License-Identifier: Apache-2.0 */

/* Containers that are there: list, inspect, start, stop, kill, pause, rename, resize, remove. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/daemon/end.h"
#include "cmd/docker/daemon/list.h"
#include "cmd/docker/daemon/start.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/stream/stream.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/exec/client.h"

static void reply_done(struct call *k, int r, const struct docker_fault *f)
{
	if (r < 0)
		call_reply_fault(k, f);
	else
		http_reply_empty(k->conn, r == 1 ? 304 : 204);
}

void call_container_list(struct call *k)
{
	struct docker_list how = {.all = call_query_true(k, "all"),
				  .size = call_query_true(k, "size")};
	_strv_ struct strv filters = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v = NULL;
	int64_t limit = 0;

	if (call_query_int(k, "limit", &limit) < 0 || call_filters(k, &filters) < 0)
		return;
	how.limit = limit > 0 ? (size_t)limit : 0;
	how.filters = &filters;
	if (docker_list_value(&k->cmd->paths, &how, &v, &f) < 0)
		call_reply_fault(k, &f);
	else
		call_reply_value(k, 200, v);
}

void call_container_inspect(struct call *k)
{
	struct docker_value *v = NULL;
	struct err e = ERR_INIT;

	if (inspect_container(&k->cmd->paths, k->item, call_query_true(k, "size"), &v, &e) < 0)
		call_reply_err(k, &e);
	else
		call_reply_value(k, 200, v);
}

/* --- start ---------------------------------------------------------------------------------- */

static int start(const struct paths *p, struct docker_target *t, struct docker_fault *f)
{
	char id[NAME_CONTAINER_ID_DIGITS + 1] = "";
	struct gathered g;
	struct docker_start s;
	int r;

	if (!t->stays)
		return docker_start(p, t, NULL, f);
	if (t->found.record.container_id)
		memcpy(id, t->found.record.container_id, sizeof(id));
	r = docker_start_begin(p, &t->found, &s, f);
	if (r == -EBUSY)
		return 1;
	if (r < 0)
		return r;
	gather_call(p, id, &g);
	const struct container_start_how how = {
		.started_fd = -1,
		.client_sock = g.fds[0],
		.client_fds = {g.fds[1], g.fds[2], g.fds[3]},
		.stdin_once = g.stdin_once,
	};

	r = docker_start_go(&s, &how, f);
	gathered_close(&g);
	docker_start_close(&s);
	return r;
}

struct apart {
	struct docker_target *target;
	const char *operand;
	const struct docker_stop *stop; /* of a restart */
};

static int start_it(const struct paths *p, const struct apart *x, struct docker_fault *f)
{
	return start(p, x->target, f);
}

static int restart_it(const struct paths *p, const struct apart *x, struct docker_fault *f)
{
	return docker_restart(p, x->target, x->operand, x->stop, f);
}

/* A supervisor is to have nothing of this connection's: it is made by a process of its own. */
static int do_apart(struct call *k, const struct apart *x,
		    int (*fn)(const struct paths *p, const struct apart *x, struct docker_fault *f),
		    struct docker_fault *f)
{
	struct {
		int r;
		struct docker_fault f;
	} result = {-EIO, DOCKER_FAULT_INIT};
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(&f->err, "pipe");
	child = fork();
	if (!child) {
		close(ends[0]);
		close(k->conn->fd);
		result.r = fn(&k->cmd->paths, x, &result.f);
		(void)io_write_all(ends[1], &result, sizeof(result), NULL);
		_exit(0);
	}
	close(ends[1]);
	if (child < 0 || io_read_exact(ends[0], &result, sizeof(result), NULL) < 0) {
		result.r = -EIO;
		err_set(&result.f.err, EIO, "the process that was to start the container died");
	}
	close(ends[0]);
	if (child > 0)
		(void)waitpid(child, NULL, 0);
	*f = result.f;
	return result.r;
}

void call_container_start(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;
	int r = docker_target_open(&k->cmd->paths, k->item, &t, &f);

	if (r >= 0)
		r = do_apart(k, &(struct apart){.target = &t}, start_it, &f);
	reply_done(k, r, &f);
	docker_target_close(&t);
}

/* --- ends ----------------------------------------------------------------------------------- */

static int read_stop(struct call *k, char **signal, struct docker_stop *ret)
{
	int64_t seconds = INT64_MIN;
	int r = call_query(k, "signal", signal);

	if (r >= 0)
		r = call_query_int(k, "t", &seconds);
	*ret = (struct docker_stop){
		.signal = *signal, .has_grace = seconds != INT64_MIN, .grace_s = seconds};
	return r;
}

void call_container_stop(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *signal = NULL;
	struct docker_target t;
	struct docker_stop how;
	int r;

	if (read_stop(k, &signal, &how) < 0)
		return;
	r = docker_target_open(&k->cmd->paths, k->item, &t, &f);
	if (r >= 0)
		r = docker_stop(&k->cmd->paths, &t, &how, &f);
	reply_done(k, r, &f);
	docker_target_close(&t);
}

void call_container_restart(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *signal = NULL;
	struct docker_target t;
	struct docker_stop how;
	int r;

	if (read_stop(k, &signal, &how) < 0)
		return;
	r = docker_target_open(&k->cmd->paths, k->item, &t, &f);
	if (r >= 0)
		r = do_apart(k, &(struct apart){&t, k->item, &how}, restart_it, &f);
	reply_done(k, r, &f);
	docker_target_close(&t);
}

void call_container_kill(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *signal = NULL;
	struct docker_target t;
	int r;

	if (call_query(k, "signal", &signal) < 0)
		return;
	r = docker_target_open(&k->cmd->paths, k->item, &t, &f);
	if (r >= 0)
		r = docker_kill(&k->cmd->paths, &t, k->item, signal, &f);
	else
		r = err_wrap(&f.err, "cannot kill container: %s", k->item);
	reply_done(k, r, &f);
	docker_target_close(&t);
}

static void pause_it(struct call *k, bool pause)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;
	int r = docker_target_open(&k->cmd->paths, k->item, &t, &f);

	if (r >= 0)
		r = docker_pause(&k->cmd->paths, &t, pause, &f);
	reply_done(k, r, &f);
	docker_target_close(&t);
}

void call_container_pause(struct call *k)
{
	pause_it(k, true);
}

void call_container_unpause(struct call *k)
{
	pause_it(k, false);
}

void call_container_rename(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *name = NULL;
	int r;

	if (call_query(k, "name", &name) < 0)
		return;
	r = docker_rename(&k->cmd->paths, k->item, name ? name : "", &f);
	reply_done(k, r, &f);
}

void call_container_remove(struct call *k)
{
	const struct docker_removal how = {.force = call_query_true(k, "force"),
					   .volumes = call_query_true(k, "v")};
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;
	int r = docker_target_open(&k->cmd->paths, k->item, &t, &f);

	if (r >= 0 && call_query_true(k, "link"))
		r = docker_refuse(&f, "containers are not linked in csbx");
	if (r >= 0)
		r = docker_remove(&k->cmd->paths, &t, k->item, &how, &f);
	reply_done(k, r, &f);
	docker_target_close(&t);
}

static void note_resize(struct call *k, const struct docker_target *t, unsigned rows,
			unsigned columns)
{
	_strv_ struct strv more = STRV_INIT;

	strv_take(&more, str_printf("height=%u", rows));
	strv_take(&more, str_printf("width=%u", columns));
	docker_event_target_more(&k->cmd->paths, t, "resize", &more);
}

void call_container_resize(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct exec_link link = EXEC_LINK_INIT;
	unsigned rows, columns;
	struct docker_target t;
	int r;

	if (call_query_size(k, &rows, &columns) < 0)
		return;
	r = docker_target_open(&k->cmd->paths, k->item, &t, &f);
	if (r >= 0)
		r = docker_target_instance(&k->cmd->paths, &t, &f);
	if (r >= 0)
		r = exec_open(&k->cmd->paths, &t.instance, &link, &f.err);
	if (r >= 0) {
		exec_resize(&link, rows, columns);
		note_resize(k, &t, rows, columns);
		http_reply_empty(k->conn, 200);
	} else {
		call_reply_fault(k, &f);
	}
	exec_close(&link);
	docker_target_close(&t);
}
