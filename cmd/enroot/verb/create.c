/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "cmd/options/image_path.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_store.h"
#include "runtime/record/image_pin.h"
#include "runtime/server/meta_cache.h"
#include "runtime/spec/name.h"

struct create_args {
	const char *name;
	bool force;
};

static const struct opt rows[] = {
	{OPT_STR, 'n', "name", "NAME", offsetof(struct create_args, name),
	 .help = "Name of the container (default: that of the file, without .sqsh)"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct create_args, force),
	 .help = "Replace a container of that name"},
	{0},
};

static const struct opt_table table = {"Options", rows};

static void tell_copy(void *arg, uint64_t bytes)
{
	enroot_info("Copying the image (%llu MiB): %s", (unsigned long long)(bytes >> 20),
		    (const char *)arg);
}

/* enroot's words for what callers look for. */
static int explain(const struct enroot *x, int r, const struct container_create *how,
		   const struct err *e)
{
	if (r == -EEXIST)
		return enroot_error("File already exists: %s/containers/%s", x->cmd.paths.data,
				    how->name);
	if (r == -ENOENT && access(how->image, F_OK) < 0)
		return enroot_error("No such file or directory: %s", how->image);
	if (r == -EINVAL)
		return enroot_error("Invalid image format: %s (%s)", how->image, e->msg);
	if (r == -EBUSY)
		return enroot_error("create %s: %s", how->name, e->msg);
	return enroot_fail(e);
}

static int create_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct create_args *a = args;
	const struct container_record traits = {.dialect = DIALECT_ENROOT};
	const struct image_pin_view view = {tell_copy, argv[0]};
	struct meta_source meta;
	struct container_create how = {
		.name = a->name,
		.image = argv[0],
		.replace = a->force,
		.while_running = true,
		.recipes_only = true,
		.always_pin = true,
		.pin_view = &view,
		.meta = &meta,
		.traits = &traits,
	};
	_free_ char *name = NULL, *site = NULL;
	struct err e = ERR_INIT;
	int r;

	(void)argc;
	if (access(argv[0], F_OK) < 0 && image_path_find(&x->cmd, argv[0], &site, &e) < 0)
		return enroot_fail(&e);
	if (site)
		how.image = site;
	if (!how.name) {
		if (name_from_image(how.image, &name, &e) < 0)
			return enroot_error(
				"Invalid argument: %s (no container can have its name: use --name)",
				argv[0]);
		how.name = name;
	}
	if (!name_is_valid(how.name))
		return enroot_error("Invalid argument: %s", how.name);
	how.replace |= enroot_conf_flag(&x->conf, "ENROOT_FORCE_OVERRIDE", false);
	cmd_meta_source(&x->cmd, &meta);
	r = container_store_create(&x->cmd.paths, &how, NULL, &e);
	return r < 0 ? explain(x, r, &how, &e) : 0;
}

const struct enroot_verb enroot_verb_create = {
	.name = "create",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct create_args),
	.run = create_run,
};
