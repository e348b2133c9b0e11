/* SPDX-License-Identifier: Apache-2.0 */

/* docker export: the tar stream of cp, of all that is in the container but its mounts. */

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "cmd/docker/docker.h"
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
static int open_output(const char *path)
{
	_close_ int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, (mode_t)0600);

	return fd < 0 || dup2(fd, STDOUT_FILENO) < 0 ? -errno : 0;
}

static int export_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct export_args *a = args;
	const struct copy_job j = {.container = argv[0],
				   .inside = "/.",
				   .whole = true,
				   .outside = "-",
				   .is_out = true,
				   .keep_owner = true,
				   .keep_set_ids = true};
	bool has_output = a->output && *a->output;
	enum copy_failure failure = COPY_FAILED;
	struct err e = ERR_INIT;
	struct run_opts run;
	int r;

	(void)argc;
	if (!has_output && isatty(STDOUT_FILENO))
		return docker_say(
			DOCKER_EXIT_FAILED,
			"cowardly refusing to save to a terminal. Use the -o flag or redirect");
	if (has_output && (r = open_output(a->output)) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "failed to export container: %s: %s",
				  a->output, err_text(-r));
	run_opts_init(&run);
	r = copy_run(&d->cmd, &j, &run, &failure, &e);
	run_opts_done(&run);
	if (r < 0 && has_output)
		(void)unlink(a->output);
	if (r < 0 && failure == COPY_NO_CONTAINER)
		return docker_daemon_error("No such container: %s", argv[0]);
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
