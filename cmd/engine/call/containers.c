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
#include "runtime/record/container_store.h"

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

/* A supervisor is to have nothing of this connection's, and is not ours to wait for. */
static struct container_start_how supervised(const struct call *k, int ours[2])
{
	ours[0] = k->conn->fd;
	ours[1] = k->conn->channel;
	return (struct container_start_how){.started_fd = -1,
					    .client_sock = -1,
					    .client_fds = {-1, -1, -1},
					    .callers = ours,
					    .n_callers = 2,
					    .orphan = true};
}

static int start(const struct call *k, struct docker_target *t, struct docker_fault *f)
{
	const struct paths *p = &k->cmd->paths;
	char id[NAME_CONTAINER_ID_DIGITS + 1] = "";
	int ours[2], r;
	struct container_start_how how = supervised(k, ours);
	struct gathered g;
	struct docker_start s;

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
	how.client_sock = g.fds[0];
	memcpy(how.client_fds, g.fds + 1, sizeof(how.client_fds));
	how.stdin_once = g.stdin_once;
	r = docker_start_go(&s, &how, f);
	gathered_close(&g);
	docker_start_close(&s);
	return r;
}

void call_container_start(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;
	int r = docker_target_open(&k->cmd->paths, k->item, &t, &f);

	if (r >= 0)
		r = start(k, &t, &f);
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
	int ours[2], r;
	const struct container_start_how again = supervised(k, ours);

	if (read_stop(k, &signal, &how) < 0)
		return;
	r = docker_target_open(&k->cmd->paths, k->item, &t, &f);
	if (r >= 0)
		r = docker_restart(&k->cmd->paths, &t, k->item, &how, &again, &f);
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
	struct container_debris later = CONTAINER_DEBRIS_NONE;
	const struct docker_removal how = {.force = call_query_true(k, "force"),
					   .volumes = call_query_true(k, "v"),
					   .later = &later};
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r;

	if (call_query_true(k, "link"))
		r = docker_refuse(&f, "containers are not linked in csbx");
	else
		r = docker_remove(&k->cmd->paths, k->item, &how, &f);
	reply_done(k, r, &f);
	/* It is gone for all that ask, and the client need not wait for a few files. */
	(void)container_debris_delete(&later, NULL);
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
