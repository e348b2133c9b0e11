/* SPDX-License-Identifier: Apache-2.0 */

/* docker run, docker create. */

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/container/attached.h"
#include "cmd/docker/container/begin.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/errno_text.h"
#include "cmd/docker/container/new.h"
#include "cmd/docker/container/run_args.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

static int write_cidfile(const struct docker *d, const char *path, const char *id)
{
	_close_ int fd =
		path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0644) : -1;

	if (!path)
		return 0;
	if (fd < 0 || io_write_all(fd, id, strlen(id), NULL) < 0)
		return docker_fail(d, "failed to create the container ID file: open %s: %s", path,
				   docker_errno(errno));
	return 0;
}

static int print_id(const char *id)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "%s\n", id);
	return cmd_print(&out);
}

/* Which streams run is attached to: those of -a, else output, and input with -i. */
static unsigned streams_of(const struct docker_run_args *a)
{
	unsigned which = 0;

	if (a->detach)
		return 0;
	for (size_t i = 0; i < a->attach.n; i++)
		which |= str_eq(a->attach.items[i], "stdin")    ? ATTACH_STDIN
			 : str_eq(a->attach.items[i], "stdout") ? ATTACH_STDOUT
								: ATTACH_STDERR;
	if (!a->attach.n)
		which = ATTACH_STDOUT | ATTACH_STDERR | (a->interactive ? ATTACH_STDIN : 0);
	return which;
}

static int failed(const struct docker *d, const struct docker_begun *b)
{
	_free_ char *text = docker_begun_text(b);

	(void)docker_daemon_fail(d, "%s", text ? text : "out of memory");
	return b->failed;
}

static int ended(const struct docker *d, const struct docker_begun *b)
{
	if (b->left)
		return b->left;
	if (b->state.exit_code == DOCKER_EXIT_USAGE && *b->state.error)
		(void)docker_daemon_fail(d, "%s", b->state.error);
	return b->state.exit_code;
}

static int start_new(struct docker *d, const struct docker_run_args *a,
		     const struct docker_new *made)
{
	const struct docker_begin how = {streams_of(a), a->sig_proxy};
	struct container_found found;
	struct docker_begun begun;
	struct err e = ERR_INIT;
	int code;

	if (container_find_again(&d->cmd.paths, made->name, made->id, &found, &e) < 0)
		return docker_daemon_fail(d, "%s", e.msg);
	docker_begin(d, &found, &how, &begun);
	if (begun.failed)
		code = failed(d, &begun);
	else
		code = how.which ? ended(d, &begun) : print_id(made->id);
	docker_begun_free(&begun);
	return code;
}

static int run_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct docker_run_args *a = args;
	struct docker_new made;
	int code = docker_new(d, a, argc, argv, &made);

	if (!code)
		code = write_cidfile(d, a->cidfile, made.id);
	return code ? code : start_new(d, a, &made);
}

static int create_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct docker_run_args *a = args;
	struct docker_new made;
	int code = docker_new(d, a, argc, argv, &made);

	if (!code)
		code = write_cidfile(d, a->cidfile, made.id);
	return code ? code : print_id(made.id);
}

static void init(void *args)
{
	docker_run_args_init(args);
}

static void done(void *args)
{
	docker_run_args_done(args);
}

const struct docker_verb docker_verb_run = {
	.name = "run",
	.usage = "[OPTIONS] IMAGE [COMMAND] [ARG...]",
	.uses = (const struct opt_use[]){{&docker_run_table, 0},
					 {&docker_create_table, 0},
					 {&docker_limits_table, 0},
					 {&docker_other_table, 0},
					 {0}},
	.flags = DOCKER_OPERAND_ENDS,
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct docker_run_args),
	.init = init,
	.done = done,
	.run = run_run,
};

const struct docker_verb docker_verb_create = {
	.name = "create",
	.usage = "[OPTIONS] IMAGE [COMMAND] [ARG...]",
	.uses = (const struct opt_use[]){{&docker_create_table, 0},
					 {&docker_limits_table, 0},
					 {&docker_other_table, 0},
					 {0}},
	.flags = DOCKER_OPERAND_ENDS,
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct docker_run_args),
	.init = init,
	.done = done,
	.run = create_run,
};
