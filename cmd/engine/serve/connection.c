/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/call.h"
#include "cmd/engine/route/route.h"
#include "cmd/engine/serve/serve.h"
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

bool engine_connection(struct cmd *cmd, int fd, int channel)
{
	struct http_conn c;
	struct err e = ERR_INIT;

	if (http_conn_open(&c, fd, &e) < 0)
		return false;
	c.channel = channel;
	while (!c.must_close) {
		int r = http_read_head(&c, &e);

		if (r == 0)
			break;
		if (r < 0)
			refuse_head(&c, &e);
		else
			answer(cmd, &c);
		if (!c.head.keeps_alive)
			break;
	}
	http_conn_close(&c);
	return !c.must_close;
}
