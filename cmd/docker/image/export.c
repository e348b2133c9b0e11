/* SPDX-License-Identifier: Apache-2.0 */

/* docker export: the tar stream of cp, of all that is in the container but its mounts. */

#include <stddef.h>
#include <unistd.h>

#include "cmd/docker/docker.h"
#include "cmd/docker/image/output_file.h"
#include "cmd/docker/image/verbs.h"
#include "cmd/image/copy.h"
#include "cmd/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct export_args {
	const char *output;
};

static const struct opt export_opts[] = {
	{OPT_STR, 'o', "output", "string", offsetof(struct export_args, output),
	 .help = "Write to a file, instead of STDOUT"},
	{0},
};
static const struct opt_table export_table = {"Options", export_opts};

/* What is written to standard output goes to the file from here on. */
static int open_output(struct output_file *f, const char *path, struct err *e)
{
	int r = output_file_open(f, path, e);

	return r >= 0 && dup2(f->out.fd, STDOUT_FILENO) < 0 ? err_sys(e, "%s", path) : r;
}

static int export(struct docker *d, const char *name, struct output_file *f, struct err *e)
{
	const struct copy_job j = {.container = name,
				   .inside = "/.",
				   .whole = true,
				   .outside = "-",
				   .is_out = true,
				   .keep_owner = true,
				   .keep_set_ids = true};
	enum copy_failure failure = COPY_FAILED;
	struct run_opts run;
	int r;

	run_opts_init(&run);
	r = copy_run(&d->cmd, &j, &run, &failure, e);
	run_opts_done(&run);
	if (r < 0 && failure == COPY_NO_CONTAINER)
		return err_set(e, ENOENT, "No such container: %s", name);
	return r >= 0 && f->out.fd >= 0 ? output_commit(&f->out, e) : r;
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
		r = open_output(&f, a->output, &e);
	if (r >= 0)
		r = export(d, argv[0], &f, &e);
	output_file_close(&f);
	return r < 0 ? docker_daemon_error("%s", e.msg) : 0;
}

const struct docker_verb docker_export = {
	.name = "export",
	.usage = "[OPTIONS] CONTAINER",
	.uses = (const struct opt_use[]){{&export_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct export_args),
	.run = export_run,
};
