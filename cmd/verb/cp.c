/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/copy.h"
#include "cmd/options/run_opts.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct cp_args {
	bool archive, follow;
	struct run_opts run; /* which ids there are */
};

static const struct opt cp_opts[] = {
	{OPT_FLAG, 'a', "archive", .offset = offsetof(struct cp_args, archive),
	 .help = "keep user and group, inside, and set-user-ID bits of the caller's files, outside"},
	{OPT_FLAG, 'L', "follow-link", .offset = offsetof(struct cp_args, follow),
	 .help = "if the source is a symbolic link, copy its target"},
	{OPT_CHOICE, 0, "userns", "MODE", offsetof(struct cp_args, run.spec.ns.userns),
	 .choices = "auto|one|subuid", .has_key = true, .initial = "auto",
	 .help = "which ids there are, as for start, when the container does not run"},
	{0},
};

static const struct opt_table cp_table = {"Options", cp_opts};

static int parse(const struct cp_args *a, char **argv, struct copy_job *j, char **ret_name,
		 struct err *e)
{
	_free_ char *from = NULL, *to = NULL;
	const char *from_path = NULL, *to_path = NULL;
	bool is_out = copy_split(argv[0], &from, &from_path);
	bool is_in = copy_split(argv[1], &to, &to_path);

	if (is_out == is_in)
		return err_set(e, EINVAL, "%s",
			       is_out ? "copying between containers is not possible"
				      : "neither is a container's path, NAME:PATH");
	*ret_name = is_out ? take_ptr(from) : take_ptr(to);
	if (!*ret_name)
		return err_oom(e);
	*j = (struct copy_job){
		.container = *ret_name,
		.inside = is_out ? from_path : to_path,
		.outside = is_out ? argv[1] : argv[0],
		.tar_fd = is_out ? STDOUT_FILENO : STDIN_FILENO,
		.is_out = is_out,
		.follow = a->follow,
		.keep_owner = a->archive,
		.keep_set_ids = a->archive,
	};
	return 0;
}

static int cp_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct cp_args *a = args;
	_free_ char *name = NULL;
	enum copy_failure failure;
	struct err e = ERR_INIT;
	struct copy_job j;
	int r = parse(a, argv, &j, &name, &e);

	(void)argc;
	if (r >= 0)
		r = copy_run(c, &j, &a->run, &failure, &e);
	return r < 0 ? cmd_error(&e, "cp %s %s", argv[0], argv[1]) : CMD_EXIT_OK;
}

static void cp_init(void *args)
{
	run_opts_init(&((struct cp_args *)args)->run);
}

static void cp_done(void *args)
{
	run_opts_done(&((struct cp_args *)args)->run);
}

static const struct verb_example examples[] = {
	{"a result out of a container", "csbx cp box:/work/report.xml ."},
	{"the content of a directory into it", "csbx cp src/. box:/work"},
	{"the same by a tar", "tar -c -C src . | csbx cp - box:/work"},
	{0},
};

const struct verb verb_cp = {
	.name = "cp",
	.usage = "[OPTIONS] NAME:PATH HOST_PATH|- | HOST_PATH|- NAME:PATH",
	.description =
		"Copies files and directories between a container and the host, as docker cp does. "
		"A directory that exists takes the source under its own name; a path that does not "
		"exist becomes the name of the copy, and the directory above it must be there. "
		"DIR/. means the files in DIR. With - a tar is written to stdout, or read from "
		"stdin (plain, gzip, bzip2, xz or zstd).\n\n"
		"A running container's files are those it sees, mounts included. For one that does "
		"not run, csbx copies to and from its image and its layer, which every later start "
		"and run of it shows.\n\n"
		"Files copied in belong to the main user, with --archive to the user and group of "
		"the source where they exist inside; a tar keeps its own. Files copied out are the "
		"caller's. --archive keeps set-user-ID bits of those whose user is the caller "
		"inside, too, and set-group-ID bits likewise; all others lose them. Links are "
		"copied as links, and none leads out of the container; zeros of a whole page become "
		"holes. Device nodes are not copied, sockets are passed over.",
	.uses = (const struct opt_use[]){{&cp_table, 0}, {0}},
	.examples = examples,
	.offers = "file",
	.min_operands = 2,
	.max_operands = 2,
	.args_bytes = sizeof(struct cp_args),
	.init = cp_init,
	.done = cp_done,
	.run = cp_run,
};
