/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "cmd/docker/docker.h"
#include "cmd/docker/errno_text.h"
#include "cmd/docker/image/change.h"
#include "cmd/docker/image/verbs.h"
#include "cmd/image/image_add.h"
#include "cmd/image/settings.h"
#include "cmd/image_find.h"
#include "image/digest.h"
#include "image/platform.h"
#include "image/tar_source.h"
#include "runtime/base/clock.h"
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

static int make_config(const struct import_args *a, const char *file, struct image_source *src,
		       struct err *e)
{
	struct image_change change = {0};
	struct platform platform;
	char diff_id[DIGEST_TEXT_MAX];
	_free_ char *comment =
		a->message ? strdup(a->message) : str_printf("Imported from %s", file);
	struct image_change_base base = {
		.os = "linux",
		.diff_id = digest_format(&src->layers[0].diff_id, diff_id),
		.comment = comment,
		.created_ns = clock_realtime_ns(),
	};
	int r = platform_wanted(NULL, a->platform, &platform, e);

	if (r >= 0 && !comment)
		r = err_set(e, ENOMEM, "out of memory");
	base.arch = platform.arch;
	base.variant = platform.variant;
	for (size_t i = 0; r >= 0 && i < a->changes.n; i++)
		r = image_change_parse(&change, a->changes.items[i], e);
	if (r >= 0)
		r = image_change_config(&change, &base, &src->config, e);
	image_change_free(&change);
	return r;
}

static int import(struct docker *d, const struct import_args *a, int fd, const char *file,
		  const char *canonical, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	_image_settings_ struct image_settings settings;
	_strv_ struct strv names = STRV_INIT;
	struct image_add_names n = {.names = &names};
	struct import_options o;
	_close_ int dirfd = -1;
	struct image_source src;
	int r = image_settings_read(&d->cmd, &settings, e);

	o = output_opts_import(&settings.output);
	n.options = &o;
	if (canonical)
		strv_add(&names, canonical);
	if (r >= 0)
		r = strv_check(&names, e);
	if (r >= 0)
		r = dirfd = images_open(&d->cmd.paths, e);
	if (r >= 0)
		r = tar_source_open(&src, fd, dirfd, e);
	if (r < 0)
		return r;
	r = make_config(a, file, &src, e);
	if (r >= 0)
		r = image_add_named(dirfd, &src, &n, ret_id, NULL, e);
	source_close(&src);
	return r;
}

static int parse_name(const char *text, char **ret, struct err *e)
{
	_image_name_ struct image_name name = {0};
	int r = image_name_parse(text, &name, e);

	if (r < 0)
		return r;
	if (name.digest)
		return err_set(e, EINVAL, "cannot import digest reference");
	*ret = image_name_canonical(&name);
	return *ret ? 0 : err_set(e, ENOMEM, "out of memory");
}

static int import_run(struct docker *d, void *args, int argc, char **argv)
{
	const char *file = argv[0];
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *canonical = NULL;
	_close_ int fd = -1;
	char id[IMAGE_ID_BYTES];
	struct err e = ERR_INIT;

	if (argc > 1 && parse_name(argv[1], &canonical, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	if (str_has_prefix(file, "http://") || str_has_prefix(file, "https://"))
		return docker_say(DOCKER_EXIT_FAILED,
				  "docker: import from a URL is not done by csbx: fetch it, then "
				  "import the file");
	fd = str_eq(file, "-") ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			       : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return docker_say(DOCKER_EXIT_FAILED, "open %s: %s", file, docker_errno(errno));
	if (import(d, args, fd, file, canonical, id, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	strbuf_addf(&out, "%s\n", id);
	return cmd_print(&out);
}

const struct docker_verb docker_import = {
	.name = "import",
	.usage = "[OPTIONS] file|URL|- [REPOSITORY[:TAG]]",
	.uses = (const struct opt_use[]){{&import_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct import_args),
	.done = import_done,
	.run = import_run,
};
