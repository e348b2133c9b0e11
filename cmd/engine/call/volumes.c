/* SPDX-License-Identifier: Apache-2.0 */

/* Volumes: list, inspect, create, remove, prune. */

#include "cmd/docker/volume/volume.h"
#include "cmd/docker/volume/list.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/engine/call/call.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

void call_volume_list(struct call *k)
{
	_strv_ struct strv filters = STRV_INIT, names = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v, *list;
	int r;

	if (call_filters(k, &filters) < 0)
		return;
	r = docker_volume_list(&k->cmd->paths, &filters, &names, &f);
	v = docker_value_new(DOCKER_VALUE_STRUCT);
	list = docker_value_add(v, "Volumes", DOCKER_VALUE_LIST);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		r = docker_volume_describe(&k->cmd->paths, names.items[i], list, &f);
		/* One that was removed meanwhile. */
		if (r == -ENOENT)
			r = 0;
	}
	docker_value_add(v, "Warnings", DOCKER_VALUE_NOLIST);
	if (r < 0) {
		docker_value_free(v);
		call_reply_fault(k, &f);
		return;
	}
	call_reply_value(k, 200, v);
}

static void reply_volume(struct call *k, const char *name, int status)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v = NULL;

	if (docker_volume_value(&k->cmd->paths, name, &v, &f) < 0)
		call_reply_fault(k, &f);
	else
		call_reply_value(k, status, v);
}

void call_volume_inspect(struct call *k)
{
	reply_volume(k, k->item, 200);
}

void call_volume_create(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_volume_args a = {0};
	_json_ struct json *body = NULL;
	_free_ char *made = NULL;
	int r;

	if (call_read_json(k, &body) < 0)
		return;
	if ((r = call_get_str(body, "Name", &a.name, &f.err)) >= 0 &&
	    (r = call_get_str(body, "Driver", &a.driver, &f.err)) >= 0 &&
	    (r = call_get_pairs(body, "Labels", &a.labels, &f.err)) >= 0 &&
	    (r = call_get_pairs(body, "DriverOpts", &a.options, &f.err)) >= 0)
		r = docker_volume_create(&k->cmd->paths, &a, &made, &f);
	if (r < 0)
		call_reply_fault(k, &f);
	else
		reply_volume(k, made, 201);
	strv_free(&a.labels);
	strv_free(&a.options);
}

void call_volume_remove(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;

	if (docker_volume_remove(&k->cmd->paths, k->item, call_query_true(k, "force"), &f) < 0)
		call_reply_fault(k, &f);
	else
		http_reply_empty(k->conn, 204);
}

/*
 * Before 1.42 all that is not used goes; since then the anonymous ones, unless `all` is asked for.
 */
#define MINOR_ANONYMOUS 42

void call_volume_prune(struct call *k)
{
	_strv_ struct strv filters = STRV_INIT, gone = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	uint64_t bytes = 0;
	struct docker_value *v;

	if (call_filters(k, &filters) < 0)
		return;
	if (docker_volume_prune(&k->cmd->paths, k->minor < MINOR_ANONYMOUS, &filters, &gone, &bytes,
				&f) < 0) {
		call_reply_fault(k, &f);
		return;
	}
	v = docker_value_new(DOCKER_VALUE_STRUCT);
	docker_value_strv(v, "VolumesDeleted", &gone, DOCKER_VALUE_LIST);
	docker_value_int(v, "SpaceReclaimed", (int64_t)bytes);
	call_reply_value(k, 200, v);
}
