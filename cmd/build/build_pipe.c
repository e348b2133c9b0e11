/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build_pipe.h"

#include <stdlib.h>

#include "cmd/build/build.h"
#include "cmd/build/build_stream.h"
#include "cmd/build/options.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "cmd/image/client_auth.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define SECRET "CSBX_ENGINE_SECRET" /* the header X-Registry-Config */
#define AUTH "CSBX_REGISTRY_AUTH"   /* docs/registries.md */

static int refuse(const struct err *e)
{
	build_stream_head(e->code == EINVAL || e->code == EBADMSG || e->code == EOPNOTSUPP ? 400
											   : 500,
			  e->msg);
	return CMD_EXIT_FAILED;
}

/*
 * What the client sends for registries goes before what the user has set. A base is pulled by a
 * program of its own, which finds both in its environment.
 */
static int take_secret(struct err *e)
{
	const char *own = getenv(AUTH);
	_free_ char *sent = NULL, *both = NULL;
	int r = client_auth_map(getenv(SECRET), &sent, e);

	unsetenv(SECRET);
	if (r < 0 || !sent)
		return r;
	both = str_printf("%s%s", sent, own ? own : "");
	return both && setenv(AUTH, both, 1) >= 0 ? 0 : err_oom(e);
}

int build_pipe_main(int argc, char **argv)
{
	static const struct opt_use uses[] = {{&build_table, 0}, {0}};
	struct build_args a = {0};
	const struct opt_parser parser = {.uses = uses, .args = &a};
	struct cmd c = {.argv = argv};
	struct err e = ERR_INIT;
	int r, code;

	build_args_init(&a);
	r = cmd_begin(&e);
	if (r >= 0)
		r = take_secret(&e);
	if (r >= 0)
		r = cmd_load_state(&c, &e);
	if (r >= 0)
		r = opt_parse(&parser, argc, argv, &e);
	if (r >= 0)
		r = build_args_check(&a, &e);
	a.is_stream = true;
	code = r < 0 ? refuse(&e) : build_run(&c, &a, "-");
	build_args_done(&a);
	cmd_free_state(&c);
	return code;
}
