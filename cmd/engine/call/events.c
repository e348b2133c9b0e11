/* SPDX-License-Identifier: Apache-2.0 */

/* GET /events: the head at once, then a message a chunk. */

#include "cmd/docker/show/events.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/log_time.h"
#include "cmd/engine/call/call.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static int send_event(void *arg, const char *line, size_t len, const struct json *event)
{
	const struct call *k = arg;
	_free_ char *text = str_printf("%.*s\n", (int)len, line);

	(void)event;
	return text ? http_reply_piece(k->conn, text, len + 1) : -ENOMEM;
}

static int read_time(struct call *k, const char *name, uint64_t *ret)
{
	_free_ char *text = NULL;
	_free_ char *message = NULL;

	if (call_query(k, name, &text) < 0)
		return -EINVAL;
	if (!text || !*text || docker_log_time_parse(text, ret) == 0)
		return 0;
	message = str_printf("invalid value for \"%s\": \"%s\"", name, text);
	http_reply_error(k->conn, 400, message ? message : "");
	return -EINVAL;
}

static int begin(void *arg)
{
	static const struct http_reply reply = {200, HTTP_TYPE_JSON, NULL};
	const struct call *k = arg;

	return http_reply_begin(k->conn, &reply);
}

void call_events(struct call *k)
{
	_strv_ struct strv filters = STRV_INIT;
	struct docker_events how = {.filters = &filters,
				    .tell = send_event,
				    .ready = begin,
				    .client_fd = k->conn->fd,
				    .arg = k};
	struct docker_fault f = DOCKER_FAULT_INIT;

	if (call_filters(k, &filters) < 0 || read_time(k, "since", &how.since_ns) < 0 ||
	    read_time(k, "until", &how.until_ns) < 0)
		return;
	if (docker_events_check(&filters, &f) < 0) {
		call_reply_fault(k, &f);
		return;
	}
	if (how.since_ns && how.until_ns && how.until_ns < how.since_ns) {
		http_reply_error(k->conn, 400, "`since` time cannot be after `until` time");
		return;
	}
	if (docker_events_follow(&k->cmd->paths, &how, &f.err) >= 0)
		http_reply_end(k->conn);
	else if (k->conn->has_answered)
		k->conn->must_close = true;
	else
		call_reply_fault(k, &f);
}
