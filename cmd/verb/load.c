/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An import whose file only the container needs: it gets a name beside the containers for as long
 * as it takes to pin it. A load that holds the lock of that directory shared may have a file in it;
 * the next load that gets the lock alone removes what a killed load left there.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/file.h>

#include "cmd/frame/cmd.h"
#include "image/source/source.h"
#include "cmd/image/destination.h"
#include "cmd/image/jobs.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/container_store.h"
#include "runtime/server/meta_cache.h"
#include "runtime/spec/name.h"

#define LOADING "loading"

static const struct opt load_opts[] = {
	{OPT_STR, 'n', "name", "NAME", offsetof(struct load_job, name),
	 .initial = "the image's name and tag", .help = "the container's name"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct load_job, force),
	 .help = "replace a container of that name; its kept layer is deleted"},
	{0},
};

static const struct opt_table load_table = {"Options", load_opts};

static void remove_debris(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;

	if (!dir) {
		fd_close(&fd);
		return;
	}
	while ((d = readdir(dir)))
		if (!str_is_dots(d->d_name))
			unlinkat(dirfd, d->d_name, 0);
	closedir(dir);
}

/* The directory, locked for as long as it is open. */
static int open_loading(const struct paths *p, struct err *e)
{
	_close_ int fd = paths_open(p->data, LOADING, e);

	if (fd < 0)
		return fd;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		remove_debris(fd);
	if (flock(fd, LOCK_SH) < 0)
		return err_sys(e, "lock %s/" LOADING, p->data);
	return take_fd(&fd);
}

/* Said before anything is fetched; the creation itself tells it for sure. */
static int check_free(struct cmd *c, const char *name, bool force, struct err *e)
{
	struct container_record old;
	int r = name_check(name, e);

	if (r < 0 || force)
		return r;
	r = container_store_open(&c->paths, name, &old, NULL);
	if (r >= 0)
		container_record_free(&old);
	return r == -ENOENT ? 0 : err_set(e, EEXIST, "a container of that name exists");
}

static int create(struct cmd *c, struct load_job *a, const char *name, const char *path,
		  struct err *e)
{
	struct meta_source meta;
	struct container_create how = {
		.name = name,
		.image = path,
		.replace = a->force,
		.while_running = a->is_enroot,
		.recipes_only = a->is_enroot,
		.meta = &meta,
	};
	enum image_pin pin = PIN_LINK;
	int r;

	cmd_meta_source(c, &meta);
	r = container_store_create(&c->paths, &how, &pin, e);
	if (r < 0 || pin != PIN_PATH)
		return r;
	container_store_remove(&c->paths, name, NULL);
	return err_set(e, EOPNOTSUPP,
		       "%s: the file system has no hard links (import and create do "
		       "without)",
		       c->paths.data);
}

/* d: an open directory, and the file's temporary name in it. */
static int import_and_create(struct cmd *c, struct load_job *a, const struct image_source *src,
			     struct destination *d, const char *name, struct err *e)
{
	struct import_options o = output_opts_import(&a->image);
	_free_ char *path = str_printf("%s/" LOADING "/%s", c->paths.data, d->name);
	int r;

	if (!path)
		return err_oom(e);
	r = destination_write(d, src, &o, a->image.quiet, e);
	if (r < 0)
		return r;
	r = create(c, a, name, path, e);
	unlinkat(d->dirfd, d->name, 0);
	return r;
}

static int set_names(struct destination *d, const char *name, struct err *e)
{
	char id[NAME_ID_DIGITS + 1];
	int r = name_new_id(id, e);

	if (r < 0)
		return r;
	d->name = str_printf("%s.sqsh", id);
	d->path = str_printf("%s", name);
	return d->name && d->path ? 0 : err_oom(e);
}

static int load_once(struct cmd *c, struct load_job *a, const char *uri, struct destination *d,
		     bool *ret_again, struct err *e)
{
	struct image_source src = {0};
	int r;

	a->source.output = &a->image;
	r = source_opts_open(c, &a->source, uri, d->dirfd, a->image.quiet, &src, e);

	if (r >= 0 && !a->name)
		r = check_free(c, src.name, a->force, e);
	if (r >= 0 && !d->name)
		r = set_names(d, a->name ? a->name : src.name, e);
	if (r >= 0)
		r = import_and_create(c, a, &src, d, d->path, e);
	*ret_again = source_opts_retry(&src, r, e);
	source_close(&src);
	return r;
}

static int load(struct cmd *c, struct load_job *a, const char *uri, struct destination *d,
		struct err *e)
{
	bool again = false;
	int r = a->name ? check_free(c, a->name, a->force, e) : 0;

	if (r == 0)
		r = d->dirfd = open_loading(&c->paths, e);
	if (r >= 0)
		r = load_once(c, a, uri, d, &again, e);
	return again ? load_once(c, a, uri, d, &again, e) : r;
}

int load_job_run(struct cmd *c, struct load_job *j, const char *uri, struct err *e)
{
	struct destination d = DESTINATION_INIT;
	int r = load(c, j, uri, &d, e);

	destination_close(&d);
	return r;
}

static int load_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;
	int r = load_job_run(c, args, argv[0], &e);

	(void)argc;
	if (r == -EEXIST)
		err_append(&e, "--force replaces it, --name gives another name");
	return r < 0 ? cmd_error(&e, "load %s", argv[0]) : CMD_EXIT_OK;
}

void load_job_done(struct load_job *job)
{
	source_opts_done(&job->source);
}

static void free_args(void *args)
{
	load_job_done(args);
}

static const struct verb_example examples[] = {
	{"an image and a container called py of it", "csbx load --name py oci:./python-image"},
	{"the image that docker has under a name", "csbx load -n app dockerd://app:latest"},
	{0},
};

const struct verb verb_load = {
	.name = "load",
	.usage = "[OPTIONS] URI",
	.description =
		"Makes a container of an image in one step: csbx import and csbx create, without "
		"a file of the image in between that anybody has to keep or delete. URI is "
		"what import takes.",
	.uses =
		(const struct opt_use[]){
			{&load_table, 0},
			{&source_opts_table, offsetof(struct load_job, source)},
			{&output_opts_table, offsetof(struct load_job, image)},
			{&registry_opts_table, offsetof(struct load_job, source.registry)},
			{&registry_fetch_table, offsetof(struct load_job, source.registry)},
			{0}},
	.examples = examples,
	.offers = "file",
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct load_job),
	.done = free_args,
	.run = load_run,
};
