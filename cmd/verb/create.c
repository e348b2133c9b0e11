/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/keep.h"
#include "cmd/options/run_container.h"
#include "cmd/options/run_opts.h"
#include "cmd/options/image_find.h"
#include "cmd/options/image_path.h"
#include "cmd/frame/verbs.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/container_store.h"
#include "runtime/server/meta_cache.h"
#include "runtime/spec/name.h"

struct create_args {
	struct run_opts run;
	struct keep_opts keep;
	const char *name;
	bool force;
};

static const struct opt create_opts[] = {
	{OPT_STR, 'n', "name", "NAME", offsetof(struct create_args, name),
	 .initial = "the file's name without .sqsh",
	 .help = "the container's name: a letter or digit, then up to 127 of a-z A-Z 0-9 _ . + -"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct create_args, force),
	 .help = "replace a container of that name; its kept layer is deleted"},
	{0},
};

static const struct opt_table create_table = {"Options", create_opts};

/* "." and ".." are named after the directory they stand for. */
static int default_name(const char *image, char **ret, struct err *e)
{
	const char *slash = strrchr(image, '/');
	_free_ char *real = NULL;

	if (str_is_dots(slash ? slash + 1 : image)) {
		real = realpath(image, NULL);
		if (!real)
			return err_sys(e, "%s", image);
		image = real;
	}
	return name_from_image(image, ret, e);
}

static int find_site_image(struct cmd *c, const char *operand, char **ret_path, char **ret_name,
			   struct err *e)
{
	int r = image_path_find(c, operand, ret_path, e);

	return r < 0 || !*ret_path ? r : name_from_image(*ret_path, ret_name, e);
}

/* An image by its name, where there is no such file: its path, and the container's default name. */
static int find_image(struct cmd *c, const char *operand, char **ret_path, char **ret_name,
		      struct err *e)
{
	_image_entry_ struct image_entry image = {0};
	const char *repository;
	struct err ignored = ERR_INIT;
	int r;

	if (!access(operand, F_OK))
		return 0;
	if (!image_may_be_meant(operand))
		return find_site_image(c, operand, ret_path, ret_name, e);
	r = image_find(&c->paths, operand, &image, ret_path, &ignored);
	if (r < 0) {
		if (r != -EINVAL && ignored.origin != ERR_NO_IMAGE) {
			*e = ignored;
			return r;
		}
		r = find_site_image(c, operand, ret_path, ret_name, e);
		return r >= 0 && !*ret_path && image_has_tag(operand) ? image_missing(operand, e)
								      : r;
	}
	repository = image.reference ? image.reference : image.id + strlen("sha256:");
	*ret_name = str_printf("%.*s",
			       image.reference ? (int)image_name_repository_len(repository)
					       : NAME_ID_DIGITS,
			       repository);
	for (char *p = *ret_name; p && (p = strpbrk(p, "/:"));)
		*p = '+';
	return *ret_name ? 0 : err_oom(e);
}

static void create_init(void *args)
{
	run_opts_init(&((struct create_args *)args)->run);
}

static void create_done(void *args)
{
	run_opts_done(&((struct create_args *)args)->run);
}

static int create_kept(struct cmd *c, struct create_args *a, int argc, char **argv)
{
	const struct run_request q = {.operand = argv[0], .argc = argc - 1, .argv = argv + 1};
	_free_ char *name = NULL;
	struct err e = ERR_INIT;

	if (a->force) {
		err_set(&e, EINVAL, "--keep and --force exclude each other: remove it first");
		return cmd_error(&e, "create %s", argv[0]);
	}
	if (!a->name && default_name(argv[0], &name, &e) < 0)
		return cmd_error(&e, "create %s", argv[0]);
	a->keep.name = a->name ? a->name : name;
	return keep_create(c, &q, &a->keep, &a->run, false);
}

/* A recipe is an image and labels: all else is said when it is started. */
static int check_recipe(const struct cmd *c, int argc, struct err *e)
{
	static const char *const mine[] = {"name", "force", "label", NULL};

	if (argc > 1)
		return err_set(e, EINVAL, "a command is for --keep; without it start takes one");
	return cmd_only_options(c, mine, "is for --keep; without it start takes it", e);
}

static int create_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct create_args *a = args;
	const struct container_record traits = {.labels = a->run.spec.labels};
	_free_ char *name = NULL, *path = NULL;
	struct meta_source meta;
	struct container_create how = {.name = a->name,
				       .image = argv[0],
				       .replace = a->force,
				       .meta = &meta,
				       .traits = &traits};
	enum image_pin pin = PIN_LINK;
	struct stat st;
	struct err e = ERR_INIT;

	if (a->keep.keep)
		return create_kept(c, a, argc, argv);
	if (check_recipe(c, argc, &e) < 0)
		return cmd_error(&e, "create %s", argv[0]);
	cmd_meta_source(c, &meta);
	if (find_image(c, argv[0], &path, &name, &e) < 0 ||
	    (!path && !a->name && default_name(argv[0], &name, &e) < 0))
		return cmd_error(&e, "create %s", argv[0]);
	if (path)
		how.image = path;
	if (!how.name)
		how.name = name;
	if (container_store_create(&c->paths, &how, &pin, &e) < 0)
		return cmd_error(&e, "create %s", how.name);
	if (pin == PIN_PATH && !stat(argv[0], &st) && S_ISREG(st.st_mode))
		cmd_warn("create %s: the image lies on another file system or is not yours, so it "
			 "is used where it is: it must stay there unchanged",
			 how.name);
	return CMD_EXIT_OK;
}

static const struct verb_example examples[] = {
	{"a container called python-image", "csbx create python-image.sqsh"},
	{"with a name of its own, replacing an older one",
	 "csbx create -f --name py python-image.sqsh"},
	{"one that stays, with its command", "csbx create --keep --name box py.sqsh python3 -i"},
	{"from an unpacked directory", "csbx create --name dev ./rootfs"},
	{0},
};

const struct verb verb_create = {
	.name = "create",
	.usage = "[OPTIONS] IMAGE [COMMAND [ARG...]]",
	.description = "Gives an image a name to start it by. IMAGE is a squashfs file (made by "
		       "csbx import, by enroot or by mksquashfs), a directory that holds a root "
		       "file system, or the name of an image that docker load or docker pull "
		       "brought.\n\n"
		       "csbx copies nothing: it pins the file by a hard link, so that you may "
		       "delete or replace it afterwards; where no link is possible, by a reflink, "
		       "else by its path and identity, and then it must stay as it is. csbx always "
		       "uses a directory in place; files that containers write never reach "
		       "it.\n\n"
		       "With --keep the container stays as it is made here: with its command, the "
		       "options of start, an id, and a layer of its own. csbx start runs it, again "
		       "and again, once at a time.",
	.uses = (const struct opt_use[]){{&create_table, 0},
					 {&keep_table, offsetof(struct create_args, keep)},
					 RUN_OPT_USES(offsetof(struct create_args, run)),
					 {0}},
	.examples = examples,
	.offers = "image",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.flags = VERB_OPERAND_ENDS,
	.args_bytes = sizeof(struct create_args),
	.init = create_init,
	.done = create_done,
	.run = create_run,
};
