/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyxis calls a program that a site names (importer= in plugstack.conf) with `get URI` before the
 * first task of a step starts, and with `release` when it needs the file no more. Here an image is
 * kept under its digest in $CSBX_CACHE_PATH/importer, so each is made once by the first of all the
 * steps and nodes that share the directory; the others wait for its lock. `gc` removes files that
 * no process asked for in 30 days; a process that has the file open or linked does not notice.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/jobs.h"
#include "cmd/image/settings.h"
#include "cmd/frame/verbs.h"
#include "image/model/digest.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"

#define IMPORTER "importer" /* below the cache path; gc knows it too */

/* Waits for the one who makes the image. The empty file stays: a lock that is unlinked is none. */
static int lock_image(int dirfd, const char *hex, struct err *e)
{
	_free_ char *name = str_printf(".lock-%s", hex);
	int fd;

	if (!name)
		return err_oom(e);
	fd = file_lock_open(dirfd, name, true);
	return fd < 0 ? err_code(e, fd, "lock of the image") : fd;
}

/* True if it is there; then it counts as used now. */
static bool is_there(int dirfd, const char *file)
{
	return !utimensat(dirfd, file, NULL, AT_SYMLINK_NOFOLLOW);
}

static int make(struct cmd *c, const char *uri, const char *path, struct err *e)
{
	_image_settings_ struct image_settings settings;
	struct import_job job = {.output = path};
	int r = image_settings_read(c, &settings, e);

	if (r < 0)
		return r;
	job.source = settings.source;
	job.image = settings.output;
	job.image.quiet = !isatty(STDERR_FILENO);
	settings.source = (struct source_opts){0};
	r = import_job_run(c, &job, uri, NULL, e);
	import_job_done(&job);
	return r;
}

static int find_digest(struct cmd *c, const char *uri, int dirfd, struct digest *ret, struct err *e)
{
	_image_settings_ struct image_settings settings;
	int r = image_settings_read(c, &settings, e);

	if (r >= 0)
		r = source_opts_digest(c, &settings.source, uri, dirfd, true, ret, e);
	return r;
}

static int get(struct cmd *c, const char *uri, char **ret_path, struct err *e)
{
	_close_ int dirfd = paths_open(c->paths.cache, IMPORTER, e), lock = -1;
	_free_ char *file = NULL, *path = NULL;
	struct digest digest;
	int r = dirfd;

	if (r >= 0)
		r = find_digest(c, uri, dirfd, &digest, e);
	if (r < 0)
		return r;
	file = str_printf("%s.sqsh", digest.hex);
	path = str_printf("%s/" IMPORTER "/%s", c->paths.cache, file);
	if (!file || !path)
		return err_oom(e);
	if (!is_there(dirfd, file)) {
		r = lock = lock_image(dirfd, digest.hex, e);
		if (r >= 0 && !is_there(dirfd, file))
			r = make(c, uri, path, e);
	}
	if (r >= 0)
		*ret_path = take_ptr(path);
	return r;
}

static int importer_run(struct cmd *c, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *path = NULL;
	struct err e = ERR_INIT;

	(void)args;
	if (str_eq(argv[0], "release"))
		return CMD_EXIT_OK; /* nothing is held for a step: gc goes by age */
	if (!str_eq(argv[0], "get") || argc != 2) {
		err_set(&e, EINVAL, "get URI or release [URI]");
		return cmd_error(&e, "importer %s", argv[0]);
	}
	if (get(c, argv[1], &path, &e) < 0)
		return cmd_error(&e, "importer get %s", argv[1]);
	strbuf_addf(&out, "%s\n", path);
	return cmd_print(&out);
}

static const struct verb_example examples[] = {
	{"the script that importer= in pyxis's plugstack.conf names, in one line",
	 "exec csbx importer \"$@\""},
	{"the file of an image, made if need be", "csbx importer get docker://python:3.12"},
	{0},
};

const struct verb verb_importer = {
	.name = "importer",
	.usage = "get URI | release [URI]",
	.description =
		"The importer that pyxis, the container plugin of SLURM, can be told to use. get "
		"prints the absolute path of a squashfs file of the image: it is made when the "
		"image's digest is not there yet, once however many steps ask at a time, and kept "
		"in the cache directory, which may be shared by all nodes. URI is what import "
		"takes and digest knows. release does nothing, as often as it is called; csbx gc "
		"removes files that were not asked for in 30 days.\n\n"
		"Options of import are taken from the configuration and CSBX_* variables.",
	.examples = examples,
	.min_operands = 1,
	.max_operands = 2,
	.run = importer_run,
};
