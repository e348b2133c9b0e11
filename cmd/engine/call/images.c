/* SPDX-License-Identifier: Apache-2.0 */

/* GET /images/json, GET /images/?/json. */

#include "cmd/docker/image/image_value.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/system/inspect_others.h"
#include "cmd/engine/call/call.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"

void call_image_inspect(struct call *k)
{
	struct value *v = NULL;
	struct err e = ERR_INIT;

	if (inspect_image(&k->cmd->paths, k->item, false, &v, &e) < 0)
		call_reply_err(k, &e);
	else
		call_reply_value(k, 200, v);
}
