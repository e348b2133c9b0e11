/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/load.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/errno_text.h"
#include "cmd/docker/image/image_event.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/image/image_add.h"
#include "cmd/image/settings.h"
#include "cmd/options/image_find.h"
#include "image/source/image_archive.h"
#include "image/oci/image.h"
#include "image/oci/platform.h"
#include "image/source/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

struct load_args {
	const char *input, *platform;
	bool quiet;
};

static const struct opt load_opts[] = {
	{OPT_STR, 'i', "input", "string", offsetof(struct load_args, input),
	 .help = "Read from tar archive file, instead of STDIN"},
	{OPT_STR, 0, "platform", "string", offsetof(struct load_args, platform),
	 .help = "Load only the given platform variant. Formatted as \"os[/arch[/variant]]\" "
		 "(e.g., \"linux/amd64\")"},
	{OPT_FLAG, 'q', "quiet", NULL, offsetof(struct load_args, quiet),
	 .help = "Suppress the load output"},
	{0},
};
static const struct opt_table load_table = {"Options", load_opts};

static void say_moved(void *arg, const char *name, const char *old_id)
{
	strbuf_addf(arg,
		    "The image %s already exists, renaming the old one with ID %s to empty "
		    "string\n",
		    image_name_familiar(name), old_id);
}

static int load_one(const struct paths *p, int dirfd, const struct image_archive *a, size_t i,
		    const struct image_wish *wish, const struct import_options *o,
		    struct strbuf *out, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	const struct image_add_names n = {&names, o, say_moved, out};
	struct image_source src;
	char id[IMAGE_ID_BYTES];
	int r = image_archive_names(a, i, &names, e);

	if (r >= 0)
		r = image_archive_source(a, i, wish, &src, e);
	if (r < 0)
		return r;
	r = image_add_named(dirfd, &src, &n, id, NULL, e);
	source_close(&src);
	if (r >= 0)
		image_event(p, "load", id, id);
	for (size_t k = 0; r >= 0 && k < names.n; k++)
		strbuf_addf(out, "Loaded image: %s\n", image_name_familiar(names.items[k]));
	if (r >= 0 && !names.n)
		strbuf_addf(out, "Loaded image ID: %s\n", id);
	return r;
}

int docker_load_images(struct docker *d, int fd, const struct image_wish *wish,
		       const struct docker_load *how, struct err *e)
{
	_image_settings_ struct image_settings settings;
	struct import_options o;
	_close_ int dirfd = -1;
	struct image_archive a;
	int r = image_settings_read(&d->cmd, &settings, e);

	o = output_opts_import(&settings.output);
	if (r >= 0)
		r = dirfd = images_open(&d->cmd.paths, e);
	if (r >= 0)
		r = image_archive_open(&a, fd, dirfd, wish, e);
	if (r < 0)
		return r;
	for (size_t i = 0; r >= 0 && i < a.n; i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;

		r = load_one(&d->cmd.paths, dirfd, &a, i, wish, &o, &out, e);
		if (out.len && how->told(how->arg, &out) < 0)
			r = err_set(e, EPIPE, "what was loaded cannot be told");
	}
	image_archive_close(&a);
	return r < 0 ? r : 0;
}

static int print(void *arg, const struct strbuf *text)
{
	(void)arg;
	return cmd_print(text) == CMD_EXIT_OK ? 0 : -EPIPE;
}

static int load_all(struct docker *d, int fd, const struct image_wish *wish)
{
	const struct docker_load how = {.told = print};
	struct err e = ERR_INIT;

	if (docker_load_images(d, fd, wish, &how, &e) >= 0)
		return 0;
	/* Why it could not be printed was said there. */
	return e.code == EPIPE ? DOCKER_EXIT_FAILED : docker_daemon_error("%s", e.msg);
}

int docker_open_input(const char *path)
{
	struct err e = ERR_INIT;
	int fd = path_open_input(path, O_RDONLY, NULL, &e);

	if (fd == -ELOOP)
		docker_say(DOCKER_EXIT_FAILED, "open %s", e.msg);
	else if (fd < 0)
		docker_say(DOCKER_EXIT_FAILED, "open %s: %s", path, docker_errno(e.code));
	return fd;
}

static int load_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct load_args *a = args;
	struct platform platform;
	struct image_wish wish = {.platform = &platform, .explicit = a->platform};
	struct err e = ERR_INIT;
	_close_ int file = -1;

	(void)argc;
	(void)argv;
	if (platform_wanted(NULL, a->platform, &platform, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "invalid platform: %s", e.msg);
	if (!a->input && isatty(STDIN_FILENO))
		return docker_say(DOCKER_EXIT_FAILED,
				  "requested load from stdin, but stdin is empty");
	if (!a->input)
		return load_all(d, STDIN_FILENO, &wish);
	file = docker_open_input(a->input);
	if (file < 0)
		return DOCKER_EXIT_FAILED;
	return load_all(d, file, &wish);
}

const struct docker_verb docker_verb_load = {
	.name = "load",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&load_table, 0}, {0}},
	.min_operands = 0,
	.max_operands = 0,
	.args_bytes = sizeof(struct load_args),
	.run = load_run,
};
