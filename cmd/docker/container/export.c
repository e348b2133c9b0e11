/* SPDX-License-Identifier: Apache-2.0 */

/* docker export: the tar stream of cp, of all that is in the container but its mounts. */

#include <stddef.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/image/output_file.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/image/copy.h"
#include "runtime/base/err.h"

struct export_args {
	const char *output;
};

static const struct opt export_opts[] = {
	{OPT_STR, 'o', "output", "string", offsetof(struct export_args, output),
	 .help = "Write to a file, instead of STDOUT"},
	{0},
};
static const struct opt_table export_table = {"Options", export_opts};

static void note(const struct docker *d, const char *operand)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;

	if (docker_target_open(&d->cmd.paths, operand, &t, &f) >= 0)
		docker_event_target(&d->cmd.paths, &t, "export", NULL, NULL);
	docker_target_close(&t);
}

static int export_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct export_args *a = args;
	struct output_file f = OUTPUT_FILE_INIT;
	bool has_output = a->output && *a->output;
	struct err e = ERR_INIT;
	int r = 0;

	(void)argc;
	if (!has_output && isatty(STDOUT_FILENO))
		return docker_say(
			DOCKER_EXIT_FAILED,
			"cowardly refusing to save to a terminal. Use the -o flag or redirect");
	if (has_output && output_file_check(a->output, "export container"))
		return DOCKER_EXIT_FAILED;
	if (has_output)
		r = output_file_open(&f, a->output, &e);
	if (r >= 0)
		r = copy_whole(&d->cmd, argv[0], has_output ? f.out.fd : STDOUT_FILENO, &e);
	if (r >= 0 && has_output)
		r = output_commit(&f.out, &e);
	output_file_close(&f);
	if (r >= 0)
		note(d, argv[0]);
	return r < 0 ? docker_daemon_error("%s", e.msg) : 0;
}

const struct docker_verb docker_verb_export = {
	.name = "export",
	.usage = "[OPTIONS] CONTAINER",
	.uses = (const struct opt_use[]){{&export_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct export_args),
	.run = export_run,
};
