/* SPDX-License-Identifier: Apache-2.0 */

/* docker volume create, rm and prune. */

#include <stddef.h>

#include "cmd/docker/volume/volume.h"
#include "cmd/docker/volume/list.h"
#include "cmd/docker/frame/confirm.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/frame/prune.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/*
 * --- create --------------------------------------------------------------------------------------
 */

struct create_args {
	const char *driver, *name;
	struct strv labels, options;
};

#define AT(member) offsetof(struct create_args, member)

static const struct opt create_opts[] = {
	{OPT_STR, 'd', "driver", "string", AT(driver), .help = "Specify volume driver name"},
	{OPT_LIST, 0, "label", "list", AT(labels), .help = "Set metadata for a volume"},
	{OPT_STR, 0, "name", "string", AT(name)},
	{OPT_LIST, 'o', "opt", "map", AT(options), .help = "Set driver specific options"},
	{0},
};
static const struct opt_table create_table = {"Options", create_opts};

static void create_done(void *args)
{
	struct create_args *a = args;

	strv_free(&a->labels);
	strv_free(&a->options);
}

static int create_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct create_args *a = args;
	const struct docker_volume_args how = {.name = argc ? argv[0] : a->name,
					       .driver = a->driver,
					       .labels = a->labels,
					       .options = a->options};
	struct docker_fault f = DOCKER_FAULT_INIT;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *made = NULL;

	if (argc && a->name)
		return docker_say(DOCKER_EXIT_FAILED,
				  "conflicting options: cannot specify a volume-name through both "
				  "--name and as a positional arg");
	if (docker_volume_create(&d->cmd.paths, &how, &made, &f) < 0)
		return docker_say_fault(d, &f);
	strbuf_addf(&out, "%s\n", made);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_volume_create = {
	.name = "volume create",
	.usage = "[OPTIONS] [VOLUME]",
	.uses = (const struct opt_use[]){{&create_table, 0}, {0}},
	.max_operands = 1,
	.args_bytes = sizeof(struct create_args),
	.done = create_done,
	.run = create_run,
};

/*
 * --- rm ------------------------------------------------------------------------------------------
 */

struct rm_args {
	bool force;
};

static const struct opt rm_opts[] = {
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct rm_args, force),
	 .help = "Force the removal of one or more volumes"},
	{0},
};
static const struct opt_table rm_table = {"Options", rm_opts};

static int rm_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct rm_args *a = args;
	int code = 0;

	for (int i = 0; i < argc; i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct docker_fault f = DOCKER_FAULT_INIT;

		strbuf_addf(&out, "%s\n", argv[i]);
		if (docker_volume_remove(&d->cmd.paths, argv[i], a->force, &f) < 0)
			code = docker_daemon_error("%s", f.err.msg);
		else if (cmd_print(&out))
			code = DOCKER_EXIT_FAILED;
	}
	return code;
}

const struct docker_verb docker_verb_volume_rm = {
	.name = "volume rm",
	.usage = "[OPTIONS] VOLUME [VOLUME...]",
	.uses = (const struct opt_use[]){{&rm_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct rm_args),
	.run = rm_run,
};

/*
 * --- prune ---------------------------------------------------------------------------------------
 */

struct prune_args {
	bool all, force;
	struct strv filters;
};

static const struct opt prune_opts[] = {
	{OPT_FLAG, 'a', "all", NULL, offsetof(struct prune_args, all),
	 .help = "Remove all unused volumes, not just anonymous ones"},
	{OPT_CALL, 0, "filter", "filter", offsetof(struct prune_args, filters),
	 .set = ps_filter_set, .help = "Provide filter values (e.g. \"label=<label>\")"},
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct prune_args, force),
	 .help = "Do not prompt for confirmation"},
	{0},
};
static const struct opt_table prune_table = {"Options", prune_opts};

static void prune_done(void *args)
{
	strv_free(&((struct prune_args *)args)->filters);
}

int docker_prune_volumes(struct docker *d, bool all, const struct strv *filters, struct strbuf *out,
			 uint64_t *bytes_freed, struct err *e)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_strv_ struct strv gone = STRV_INIT;
	int r = docker_volume_prune(&d->cmd.paths, all, filters, &gone, bytes_freed, &f);

	for (size_t i = 0; i < gone.n; i++)
		strbuf_addf(out, "%s%s\n", i ? "" : "Deleted Volumes:\n", gone.items[i]);
	if (r < 0)
		*e = f.err;
	return r;
}

static int prune_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct prune_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct err e = ERR_INIT;
	uint64_t bytes = 0;
	bool all = a->all;
	int r = docker_volume_check_prune(&a->filters, &all, &f);

	(void)argc, (void)argv;
	if (r < 0)
		return docker_daemon_error("%s", f.err.msg);
	if (!a->force &&
	    !docker_confirm(
		    all ? "WARNING! This will remove all local volumes not used by at least "
			  "one container."
			: "WARNING! This will remove anonymous local volumes not used by at "
			  "least one container."))
		return 0;
	r = docker_prune_volumes(d, all, &a->filters, &out, &bytes, &e);
	return docker_prune_end(&out, bytes, r, &e);
}

const struct docker_verb docker_verb_volume_prune = {
	.name = "volume prune",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&prune_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct prune_args),
	.done = prune_done,
	.run = prune_run,
};
