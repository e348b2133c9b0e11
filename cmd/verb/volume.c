/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <time.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/table.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/record/volume.h"

struct volume_args {
	bool quiet, all;
};

static const struct opt volume_opts[] = {
	{OPT_FLAG, 'q', "quiet", .offset = offsetof(struct volume_args, quiet),
	 .help = "with ls: names only"},
	{OPT_FLAG, 'a', "all", .offset = offsetof(struct volume_args, all),
	 .help = "with prune: also those that have a name"},
	{0},
};

static const struct opt_table volume_table = {"Options", volume_opts};

static int print_names(const struct strv *names)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < names->n; i++)
		strbuf_addf(&out, "%s\n", names->items[i]);
	return cmd_print(&out);
}

static int volume_create(struct cmd *c, const struct volume_args *a, int argc, char **argv)
{
	_free_ char *name = NULL, *path = NULL;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	(void)a;
	if (argc > 1) {
		err_set(&e, EINVAL, "one name at most");
		return cmd_error(&e, "volume create");
	}
	if (volume_open(&c->paths, argc ? argv[0] : NULL, &name, &path, &e) < 0)
		return cmd_error(&e, "volume create");
	strbuf_addf(&out, "%s\n", name);
	return cmd_print(&out);
}

static int print_table(struct cmd *c, const struct strv *names)
{
	static const char *const heading[] = {"NAME", "CREATED", "PATH"};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_table_ struct table t;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	table_init(&t, heading, 3);
	for (size_t i = 0; i < names->n; i++) {
		_free_ char *path = NULL;
		uint64_t created_ns;

		if (volume_look(&c->paths, names->items[i], &created_ns, &path, NULL) < 0)
			continue;
		table_add(&t, names->items[i]);
		table_add_age(&t, created_ns,
			      (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
		table_add(&t, path);
	}
	table_format(&t, &out);
	return cmd_print(&out);
}

static int volume_ls(struct cmd *c, const struct volume_args *a, int argc, char **argv)
{
	_strv_ struct strv names = STRV_INIT;
	struct err e = ERR_INIT;

	(void)argv;
	if (argc)
		err_set(&e, EINVAL, "takes no names");
	if (argc || volume_list(&c->paths, &names, &e) < 0)
		return cmd_error(&e, "volume ls");
	return a->quiet ? print_names(&names) : print_table(c, &names);
}

static int volume_inspect(struct cmd *c, const struct volume_args *a, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_out j = {.pretty = true};
	struct err e = ERR_INIT;
	int code = CMD_EXIT_OK;

	(void)a;
	json_begin_array(&j);
	for (int i = 0; i < argc; i++) {
		_strv_ struct strv users = STRV_INIT;
		_free_ char *path = NULL;
		uint64_t created_ns = 0;
		int r = volume_look(&c->paths, argv[i], &created_ns, &path, &e);

		if (r >= 0)
			r = volume_users(&c->paths, argv[i], &users, &e);
		if (r < 0) {
			code = cmd_error(&e, "volume inspect");
			continue;
		}
		json_begin_object(&j);
		json_kstr(&j, "name", argv[i]);
		json_kstr(&j, "path", path);
		json_key(&j, "created");
		json_time(&j, created_ns);
		json_kbool(&j, "anonymous", volume_is_anonymous(argv[i]));
		json_kstrv(&j, "used_by", &users);
		json_end_object(&j);
	}
	json_end_array(&j);
	if (json_finish(&j, &e) < 0)
		code = cmd_error(&e, "volume inspect");
	strbuf_addf(&out, "%s\n", strbuf_str(&j.buf));
	json_out_free(&j);
	return cmd_print(&out) ? CMD_EXIT_FAILED : code;
}

static int volume_rm(struct cmd *c, const struct volume_args *a, int argc, char **argv)
{
	int code = CMD_EXIT_OK;

	(void)a;
	for (int i = 0; i < argc; i++) {
		struct err e = ERR_INIT;

		if (volume_remove(&c->paths, argv[i], &e) < 0)
			code = cmd_error(&e, "volume rm %s", argv[i]);
	}
	return code;
}

static int volume_prune_run(struct cmd *c, const struct volume_args *a, int argc, char **argv)
{
	_strv_ struct strv removed = STRV_INIT;
	struct err e = ERR_INIT;

	(void)argv;
	if (argc)
		err_set(&e, EINVAL, "takes no names");
	if (argc || volume_prune(&c->paths, a->all, &removed, &e) < 0)
		return cmd_error(&e, "volume prune");
	return print_names(&removed);
}

static const struct {
	const char *name;
	int min_operands;
	int (*run)(struct cmd *c, const struct volume_args *a, int argc, char **argv);
} actions[] = {
	{"create", 0, volume_create},   {"ls", 0, volume_ls},
	{"inspect", 1, volume_inspect}, {"rm", 1, volume_rm},
	{"prune", 0, volume_prune_run},
};

static int volume_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!str_eq(actions[i].name, argv[0]))
			continue;
		if (argc - 1 >= actions[i].min_operands)
			return actions[i].run(c, args, argc - 1, argv + 1);
		err_set(&e, EINVAL, "a name is missing");
		return cmd_error(&e, "volume %s", argv[0]);
	}
	err_set(&e, EINVAL, "must be create, ls, inspect, rm or prune");
	return cmd_error(&e, "volume %s", argv[0]);
}

static const struct verb_example examples[] = {
	{"a place for data that several containers share",
	 "csbx volume create data && csbx run --volume data:/data ./py.sqsh python3 -V"},
	{"the containers that use it", "csbx volume inspect data"},
	{0},
};

const struct verb verb_volume = {
	.name = "volume",
	.usage = "create [NAME] | ls | inspect NAME... | rm NAME... | prune",
	.description =
		"A volume is a directory below the data directory that outlives the containers it "
		"is mounted in, by --volume NAME:TARGET; one that does not exist is made. The "
		"first start that mounts an empty volume fills it with what the image has at "
		"TARGET.\n\n"
		"rm refuses a volume that a container has among its mounts (create --keep). prune "
		"removes the anonymous ones that no container has, and prints their names; with "
		"--all also those with a name. prune does not ask starts of recipes and images: "
		"volumes that they have mounted stay with them until they end, without a name.",
	.uses = (const struct opt_use[]){{&volume_table, 0}, {0}},
	.examples = examples,
	.offers = "words:create ls inspect rm prune",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct volume_args),
	.run = volume_run,
};
