/* SPDX-License-Identifier: Apache-2.0 */

/* GET and HEAD /_ping, GET /version, GET /info. */

#include "cmd/docker/show/value.h"
#include "cmd/docker/system/info_value.h"
#include "cmd/docker/system/version_value.h"
#include "cmd/engine/call/call.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"

void call_ping(struct call *k)
{
	const struct http_reply r = {200, HTTP_TYPE_TEXT,
				     "Builder-Version: 1\r\nSwarm: inactive\r\n"
				     "Cache-Control: no-cache, no-store, must-revalidate\r\n"
				     "Pragma: no-cache\r\n"};

	http_reply(k->conn, &r, "OK", 2);
}

void call_version(struct call *k)
{
	struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT);

	version_add_server(v);
	call_reply_value(k, 200, v);
}

/* There are none; clients ask in order to say so. */
void call_plugin_list(struct call *k)
{
	call_reply_value(k, 200, docker_value_new(DOCKER_VALUE_LIST));
}

void call_info(struct call *k)
{
	struct docker_value *v = NULL;
	struct err e = ERR_INIT;

	if (info_value(&k->cmd->paths, true, &v, &e) < 0)
		call_reply_err(k, &e);
	else
		call_reply_value(k, 200, v);
}
