/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/image_event.h"
#include "cmd/docker/image/load.h"
#include "cmd/docker/image/tar_image.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/options/image_find.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct import_args {
	struct strv changes;
	const char *message, *platform;
};

static const struct opt import_opts[] = {
	{OPT_LIST, 'c', "change", "list", offsetof(struct import_args, changes),
	 .help = "Apply Dockerfile instruction to the created image"},
	{OPT_STR, 'm', "message", "string", offsetof(struct import_args, message),
	 .help = "Set commit message for imported image"},
	{OPT_STR, 0, "platform", "string", offsetof(struct import_args, platform),
	 .help = "Set platform if server is multi-platform capable"},
	{0},
};
static const struct opt_table import_table = {"Options", import_opts};

static void import_done(void *args)
{
	strv_free(&((struct import_args *)args)->changes);
}

int docker_import_tar(struct docker *d, const struct docker_import_how *a, int fd,
		      char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	_free_ char *comment =
		a->message ? strdup(a->message) : str_printf("Imported from %s", a->file);
	const struct tar_image image = {
		.name = a->name,
		.platform = a->platform,
		.changes = a->changes,
		.comment = comment,
	};
	struct image_change config = {0};
	_close_ int dirfd = -1;
	int r = comment ? 0 : err_oom(e);

	if (r >= 0)
		r = dirfd = images_open(&d->cmd.paths, e);
	if (r >= 0)
		r = tar_image_add(d, dirfd, fd, &image, &config, ret_id, e);
	if (r >= 0 && a->name)
		image_event(&d->cmd.paths, "tag", ret_id, image_name_familiar(a->name));
	if (r >= 0)
		image_event(&d->cmd.paths, "import", ret_id, ret_id);
	image_change_free(&config);
	return r;
}

/* 0, or the exit code of what it has said: a digest is refused by docker's daemon. */
static int parse_name(const char *operand, char **ret)
{
	struct err e = ERR_INIT;
	int r = tar_image_name(operand, ret, &e);

	if (r == -EOPNOTSUPP)
		return docker_daemon_error("cannot import digest reference");
	return r < 0 ? docker_say(DOCKER_EXIT_FAILED, "%s", e.msg) : 0;
}

static int import_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct import_args *a = args;
	struct docker_import_how how = {
		.changes = &a->changes, .message = a->message, .platform = a->platform};
	const char *file = argv[0];
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *name = NULL;
	_close_ int fd = -1;
	char id[IMAGE_ID_BYTES];
	struct err e = ERR_INIT;

	if (argc > 1 && parse_name(argv[1], &name))
		return DOCKER_EXIT_FAILED;
	if (str_has_prefix(file, "http://") || str_has_prefix(file, "https://"))
		return docker_say(DOCKER_EXIT_FAILED,
				  "docker: import from a URL is not done by csbx: fetch it, then "
				  "import the file");
	fd = str_eq(file, "-") ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : docker_open_input(file);
	if (fd < 0)
		return DOCKER_EXIT_FAILED;
	how.file = file;
	how.name = name;
	if (docker_import_tar(d, &how, fd, id, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	strbuf_addf(&out, "%s\n", id);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_import = {
	.name = "import",
	.usage = "[OPTIONS] file|URL|- [REPOSITORY[:TAG]]",
	.uses = (const struct opt_use[]){{&import_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct import_args),
	.done = import_done,
	.run = import_run,
};
