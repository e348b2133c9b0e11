/* SPDX-License-Identifier: Apache-2.0 */

/* The calls about use and changes of containers: top, stats, changes, export; and prune. */

#include <poll.h>

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/usage/prune.h"
#include "cmd/docker/usage/top.h"
#include "cmd/docker/usage/usage.h"
#include "cmd/engine/call/helper.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/spec/flat.h"
#include "runtime/spec/spec.h"

#define LOOK_MS 1000   /* between two messages */
#define BEFORE_MS 500u /* between the two looks of a single one */

/* --- top ------------------------------------------------------------------------------------ */

static void split_words(const char *text, struct strv *ret)
{
	while (*(text += strspn(text, " \t"))) {
		size_t n = strcspn(text, " \t");

		strv_take(ret, strndup(text, n));
		text += n;
	}
}

static struct docker_value *top_value(const struct docker_top *t)
{
	struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT), *rows;

	rows = docker_value_add(v, "Processes", DOCKER_VALUE_LIST);
	for (size_t i = 1; i < t->n; i++)
		docker_value_strv(rows, NULL, &t->rows[i], DOCKER_VALUE_LIST);
	docker_value_strv(v, "Titles", &t->rows[0], DOCKER_VALUE_LIST);
	return v;
}

void call_container_top(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_docker_top_ struct docker_top t = {0};
	_strv_ struct strv words = STRV_INIT;
	_free_ char *text = NULL;
	struct docker_target target;
	int r;

	if (call_query(k, "ps_args", &text) < 0)
		return;
	split_words(text ? text : "", &words);
	r = docker_target_open(&k->cmd->paths, k->item, &target, &f);
	if (r >= 0)
		r = strv_check(&words, &f.err);
	if (r >= 0)
		r = docker_top(&k->cmd->paths, &target, &words, &t, &f);
	if (r < 0)
		call_reply_fault(k, &f);
	else
		call_reply_value(k, 200, top_value(&t));
	docker_target_close(&target);
}

/* --- files ---------------------------------------------------------------------------------- */

static void ask_for_files(struct call *k, const char *verb, const char *type)
{
	const char *const words[] = {"__archive", verb, k->item, "/.", NULL};
	const struct http_reply reply = {200, type, NULL};

	helper_answer(k, &(struct helper_ask){.words = words, .reply = &reply});
}

void call_container_changes(struct call *k)
{
	ask_for_files(k, "changes", HTTP_TYPE_JSON);
}

void call_container_export(struct call *k)
{
	ask_for_files(k, "export", "application/octet-stream");
}

/* --- stats ---------------------------------------------------------------------------------- */

struct watched {
	struct docker_target target;
	const char *id;
	uint64_t memory_bytes;
	struct docker_usage before, now;
};

static uint64_t limit_of(const struct docker_target *t)
{
	struct container_spec s;
	uint64_t bytes = 0;

	spec_init(&s);
	if (t->found.record.spec &&
	    spec_flat_read(&s, t->found.record.spec, t->found.record.spec_len, NULL) >= 0)
		bytes = s.limits.memory_bytes;
	spec_free(&s);
	return bytes;
}

static int look(struct call *k, struct watched *w, struct err *e)
{
	w->before = w->now;
	return docker_usage_look(&k->cmd->paths, w->id, w->memory_bytes, &w->now, e);
}

static struct docker_value *usage_value(const struct watched *w)
{
	return docker_usage_value(w->target.found.name, w->id, &w->before, &w->now);
}

/* One answer; of CPU it can tell when there were two looks. */
static void reply_once(struct call *k, struct watched *w, bool one_look)
{
	struct err e = ERR_INIT;
	int r = look(k, w, &e);

	if (r >= 0 && w->now.runs && !one_look) {
		(void)poll(NULL, 0, BEFORE_MS);
		r = look(k, w, &e);
	}
	if (r < 0)
		call_reply_err(k, &e);
	else
		call_reply_value(k, 200, usage_value(w));
}

static bool send_usage(struct call *k, const struct watched *w)
{
	_docker_value_ struct docker_value *v = usage_value(w);
	_strbuf_ struct strbuf line = STRBUF_INIT;

	if (docker_value_check(v, NULL) < 0 || docker_value_json(v, false, &line, NULL) < 0)
		return false;
	strbuf_addch(&line, '\n');
	return http_reply_piece(k->conn, strbuf_str(&line), line.len) >= 0;
}

static bool is_removed(struct call *k, const struct watched *w)
{
	struct container_found now;

	if (!w->target.stays)
		return !w->now.runs;
	if (container_find_again(&k->cmd->paths, w->target.found.name, w->id, &now, NULL) >= 0 ||
	    container_find(&k->cmd->paths, w->id, &now, NULL) >= 0) {
		container_record_free(&now.record);
		return false;
	}
	return true;
}

/* Until the client has gone, or the container. */
static void reply_stream(struct call *k, struct watched *w)
{
	static const struct http_reply reply = {200, HTTP_TYPE_JSON, NULL};
	struct pollfd client = {.fd = k->conn->fd};

	if (http_reply_begin(k->conn, &reply) < 0)
		return;
	while (look(k, w, NULL) >= 0 && send_usage(k, w)) {
		if (poll(&client, 1, LOOK_MS) > 0)
			break;
		if (is_removed(k, w)) {
			http_reply_end(k->conn);
			return;
		}
	}
	k->conn->must_close = true;
}

void call_container_stats(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *stream = NULL;
	struct watched w = {0};

	if (call_query(k, "stream", &stream) < 0)
		return;
	if (docker_target_open(&k->cmd->paths, k->item, &w.target, &f) < 0) {
		call_reply_fault(k, &f);
	} else {
		w.id = docker_target_id(&w.target);
		w.memory_bytes = limit_of(&w.target);
		/* It is a stream unless that is refused. */
		if (!stream || call_query_true(k, "stream"))
			reply_stream(k, &w);
		else
			reply_once(k, &w, call_query_true(k, "one-shot"));
	}
	docker_target_close(&w.target);
}

/* --- prune ---------------------------------------------------------------------------------- */

void call_container_prune(struct call *k)
{
	_strv_ struct strv filters = STRV_INIT, gone = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	uint64_t bytes = 0;
	struct docker_value *v;

	if (call_filters(k, &filters) < 0)
		return;
	if (docker_container_prune(&k->cmd->paths, &filters, &gone, &bytes, &f) < 0) {
		call_reply_fault(k, &f);
		return;
	}
	v = docker_value_new(DOCKER_VALUE_STRUCT);
	docker_value_strv(v, "ContainersDeleted", &gone, DOCKER_VALUE_NOLIST);
	docker_value_int(v, "SpaceReclaimed", (int64_t)bytes);
	call_reply_value(k, 200, v);
}
