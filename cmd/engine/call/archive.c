/* SPDX-License-Identifier: Apache-2.0 */

/*
 * HEAD, GET and PUT /containers/?/archive. csbx-image does the work, as a child on pipes
 * (cmd/image/archive_pipe.h): this program knows no archives.
 */

#include <signal.h>

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/engine/call/helper.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

static int start_helper(struct call *k, const char *verb, const char *path, bool wants_in,
			struct helper *h, struct err *e)
{
	const char *const words[] = {"__archive", verb, k->item, path, NULL};

	return helper_start(h, words, NULL, wants_in, e);
}

static void note(struct call *k, const char *action)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;

	if (docker_target_open(&k->cmd->paths, k->item, &t, &f) >= 0)
		docker_event_target(&k->cmd->paths, &t, action, NULL, NULL);
	docker_target_close(&t);
}

static char *stat_header(const struct json *said)
{
	int64_t size = 0, mode = 0, seconds = 0, ns = 0;
	_strbuf_ struct strbuf text = STRBUF_INIT, coded = STRBUF_INIT;
	const char *name = "", *target = "";
	_docker_value_ struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT);

	(void)call_get_str(said, "name", &name, NULL);
	(void)call_get_str(said, "linkTarget", &target, NULL);
	(void)call_get_int(said, "size", &size, NULL);
	(void)call_get_int(said, "mode", &mode, NULL);
	(void)call_get_int(said, "mtime_s", &seconds, NULL);
	(void)call_get_int(said, "mtime_ns", &ns, NULL);
	docker_value_str(v, "name", name);
	docker_value_int(v, "size", size);
	docker_value_int(v, "mode", mode);
	if (seconds > 0 || ns)
		docker_value_time(v, "mtime", (uint64_t)seconds * 1000000000u + (uint64_t)ns);
	else
		docker_value_str(v, "mtime", "1970-01-01T00:00:00Z");
	docker_value_str(v, "linkTarget", target);
	if (docker_value_json(v, false, &text, NULL) < 0)
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
		r = helper_read_line(&h, &e);
	if (!helper_reply_failure(k, &h, r, &e)) {
		lines = stat_header(h.said);
		http_reply(k->conn, &(struct http_reply){.status = 200, .lines = lines}, NULL, 0);
	}
	(void)helper_end(&h);
}

static void send_tar(struct call *k, struct helper *h)
{
	_free_ char *lines = stat_header(h->said);
	const struct http_reply reply = {200, "application/x-tar", lines};

	helper_relay(k, h, &reply);
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
		r = helper_read_line(&h, &e);
	failed = helper_reply_failure(k, &h, r, &e);
	if (!failed)
		note(k, "archive-path");
	if (!failed)
		send_tar(k, &h);
	/* A tar that breaks off has no last chunk. */
	if (helper_end(&h) && !failed)
		http_reply_end(k->conn);
	else if (!failed)
		k->conn->must_close = true;
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
		r = helper_feed(k, &h, &e);
	/* Half a tar is not to be taken for a whole one. */
	if (r < 0 && h.pid > 0)
		(void)kill(h.pid, SIGKILL);
	fd_close(&h.in);
	if (r >= 0)
		r = helper_read_line(&h, &e);
	if (!helper_reply_failure(k, &h, r, &e)) {
		note(k, "extract-to-dir");
		http_reply_empty(k->conn, 200);
	}
	(void)helper_end(&h);
}
