/* SPDX-License-Identifier: Apache-2.0 */

/* docker run, docker create. */

#include <fcntl.h>
#include <unistd.h>

#include "cmd/docker/container/attached.h"
#include "cmd/docker/container/start_attached.h"
#include "cmd/docker/container/pull_image.h"
#include "cmd/docker/container/run_client.h"
#include "cmd/docker/container/run_flags.h"
#include "cmd/docker/daemon/image.h"
#include "cmd/docker/daemon/create.h"
#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/record/container_find.h"

static int write_cidfile(const struct docker *d, const char *path,
			 const struct docker_created *made)
{
	struct err e = ERR_INIT;
	_close_ int fd = -1;

	if (!path)
		return 0;
	fd = path_open_output(path, O_WRONLY | O_CREAT | O_EXCL, 0644, &made->programs, &e);
	if (fd < 0 || io_write_all(fd, made->id, strlen(made->id), &e) < 0)
		return docker_fail_cidfile(d, path, &e);
	return 0;
}

static int print_id(const char *id)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "%s\n", id);
	return cmd_print(&out);
}

/* The streams that run is attached to: those of -a, else output, and input with -i. */
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

/* 0 or the exit code. */
static int try_new(struct docker *d, const struct docker_run_args *a, struct docker_created *made,
		   bool *ret_no_image)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r = docker_create(&d->cmd, a, made, &f), code = 0;

	if (r >= 0) {
		for (size_t i = 0; i < made->warnings.n; i++)
			(void)docker_say(0, "WARNING: %s", made->warnings.items[i]);
	}
	if (r >= 0)
		code = write_cidfile(d, a->cidfile, made);
	docker_created_free(made);
	if (r >= 0)
		return code;
	if (ret_no_image && f.err.origin == ERR_NO_IMAGE) {
		*ret_no_image = true;
		return DOCKER_EXIT_FAILED;
	}
	return docker_say_fault(d, &f);
}

static int say_not_here(const struct docker *d, const struct docker_run_args *a)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *name = NULL;

	if (docker_image_full_name(a->image, &name, &f) < 0)
		return docker_say_fault(d, &f);
	return docker_say(0, "Unable to find image '%s' locally", name);
}

/*
 * As docker's command line does it: the image is fetched when the daemon says that it is missing.
 */
static int new_container(struct docker *d, const struct docker_run_args *a,
			 struct docker_created *made)
{
	bool always = a->pull && str_eq(a->pull, "always"), no_image = false;
	bool never = a->pull && str_eq(a->pull, "never");
	int code = docker_run_check_client(d, a);

	if (!code && always && !docker_image_is_path(a->image))
		code = docker_pull_image(d, a);
	if (!code)
		code = try_new(d, a, made, always || never ? NULL : &no_image);
	if (no_image)
		code = say_not_here(d, a);
	if (no_image && !code)
		code = docker_pull_image(d, a);
	if (no_image && !code)
		code = try_new(d, a, made, NULL);
	return code;
}

static int take_operands(struct docker_run_args *a, int argc, char **argv)
{
	struct err e = ERR_INIT;

	a->image = argv[0];
	for (int i = 1; i < argc; i++)
		strv_add(&a->command, argv[i]);
	return strv_check(&a->command, &e) < 0 ? docker_say(DOCKER_EXIT_USAGE, "docker: %s", e.msg)
					       : 0;
}

static int ended(const struct docker *d, const struct docker_attached_end *b)
{
	if (b->left)
		return b->left;
	if (b->state.exit_code == DOCKER_EXIT_USAGE && *b->state.error)
		(void)docker_daemon_fail(d, "%s", b->state.error);
	return b->state.exit_code;
}

static int start_new(struct docker *d, const struct docker_run_args *a,
		     const struct docker_created *made)
{
	const struct docker_start_attached how = {streams_of(a), a->sig_proxy,
						  a->other[DOCKER_OTHER_detach_keys]};
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct container_found found;
	struct docker_attached_end begun;
	int r = container_find_again(&d->cmd.paths, made->name, made->id, &found, &f.err);

	if (r >= 0)
		r = docker_start_attached(d, &found, &how, &begun, &f);
	/* Its id is told though it may have come to nothing. */
	if (!how.which && print_id(made->id))
		return DOCKER_EXIT_USAGE;
	if (r < 0)
		return docker_say_fault(d, &f);
	return how.which && !begun.is_left_by_keys ? ended(d, &begun) : 0;
}

static int run_run(struct docker *d, void *args, int argc, char **argv)
{
	struct docker_run_args *a = args;
	struct docker_created made;
	int code = take_operands(a, argc, argv);
	unsigned rows, columns;

	if (a->tty && attached_size(&rows, &columns)) {
		a->tty_rows = rows;
		a->tty_columns = columns;
	}
	if (!code)
		code = new_container(d, a, &made);
	cmd_hide_values(&d->cmd, &a->env);
	return code ? code : start_new(d, a, &made);
}

static int create_run(struct docker *d, void *args, int argc, char **argv)
{
	struct docker_run_args *a = args;
	struct docker_created made;
	int code = take_operands(a, argc, argv);

	if (!code)
		code = new_container(d, a, &made);
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
