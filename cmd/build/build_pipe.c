/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build_pipe.h"

#include "cmd/build/build.h"
#include "cmd/build/build_stream.h"
#include "cmd/build/options.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "runtime/base/err.h"

static int refuse(const struct err *e)
{
	build_stream_head(e->code == EINVAL || e->code == EOPNOTSUPP ? 400 : 500, e->msg);
	return CMD_EXIT_FAILED;
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
