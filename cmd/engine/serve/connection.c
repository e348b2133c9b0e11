/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/call.h"
#include "cmd/engine/call/doze.h"
#include "cmd/engine/call/wake.h"
#include "cmd/engine/route/route.h"
#include "cmd/engine/serve/serve.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* A head that could not be read: its request is not known, so the connection ends. */
static void refuse_head(struct http_conn *c, const struct err *e)
{
	int status = 400;

	if (e->code == EMSGSIZE)
		status = 431;
	else if (e->code == ETIMEDOUT)
		status = 408;
	else if (e->code == EPROTONOSUPPORT)
		status = 505;
	else if (e->code == ENOSYS || e->code == EOPNOTSUPP)
		status = 501;
	c->must_close = true;
	c->head.method = HTTP_GET;
	http_reply_error(c, status, e->msg);
}

static void answer(struct cmd *cmd, struct http_conn *c)
{
	struct routed routed;
	struct err e = ERR_INIT;
	int r = route_find(route_table, c->head.method, c->head.path, &routed, &e);
	struct call k = {.cmd = cmd, .conn = c, .item = routed.item, .minor = routed.minor};

	if (r < 0)
		http_reply_error(c, r == -ENOENT ? 404 : 400, e.msg);
	else if (!routed.route->fn)
		http_reply_error(c, routed.route->status, routed.route->why);
	else
		routed.route->fn(&k);
	if (!c->has_answered)
		http_reply_error(c, 500, "no answer was given");
	http_skip_body(c);
}

/* True: it ended between two requests. */
static bool serve(struct cmd *cmd, struct http_conn *c)
{
	struct err e = ERR_INIT;

	while (!c->must_close) {
		int r = http_read_head(c, &e);

		if (r == 0)
			break;
		if (r < 0)
			refuse_head(c, &e);
		else
			answer(cmd, c);
		if (!c->head.keeps_alive)
			break;
	}
	http_conn_close(c);
	return !c->must_close;
}

bool engine_connection(struct cmd *cmd, int fd, int channel)
{
	struct http_conn c;
	struct err e = ERR_INIT;

	if (http_conn_open(&c, fd, &e) < 0)
		return false;
	c.channel = channel;
	return serve(cmd, &c);
}

int engine_wake(const char *state)
{
	struct cmd cmd = {0};
	struct http_conn c;
	struct err e = ERR_INIT;
	struct doze d;
	struct call k = {.cmd = &cmd, .conn = &c, .item = d.item};
	int r = call_doze_read(state, &d, &e);

	if (r >= 0)
		r = cmd_begin(&e);
	if (r >= 0)
		r = cmd_load_state(&cmd, &e);
	if (r >= 0)
		r = http_conn_open(&c, d.client, &e);
	if (r < 0)
		return CMD_EXIT_FAILED;
	k.minor = d.minor;
	c.has_answered = true;
	c.must_close = d.must_close;
	c.head.is_old = d.is_old;
	c.head.keeps_alive = d.keeps_alive;
	c.head.method = d.is_head ? HTTP_HEAD : HTTP_GET;
	call_wake(&k, &d);
	c.must_close |= !c.head.keeps_alive;
	(void)serve(&cmd, &c);
	cmd_free_state(&cmd);
	return 0;
}
