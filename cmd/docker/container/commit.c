/* SPDX-License-Identifier: Apache-2.0 */

/*
 * docker commit: what docker export gives of a container becomes an image of one layer, as docker
 * import makes it, whose configuration is the container's own as docker inspect shows it. csbx's
 * images are one file each, so nothing is shared with the image below in any case.
 */

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/container/pause_hold.h"
#include "cmd/docker/image/tar_image.h"
#include "cmd/docker/frame/verbs_image.h"
#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/show/value.h"
#include "cmd/image/copy.h"
#include "cmd/options/image_find.h"
#include "image/bytes/spool.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/container_find.h"

struct commit_args {
	struct strv changes;
	const char *author, *message;
	bool pause;
};

static const struct opt commit_opts[] = {
	{OPT_STR, 'a', "author", "string", offsetof(struct commit_args, author),
	 .help = "Author (e.g., \"John Hannibal Smith <hannibal@a-team.com>\")"},
	{OPT_LIST, 'c', "change", "list", offsetof(struct commit_args, changes),
	 .help = "Apply Dockerfile instruction to the created image"},
	{OPT_STR, 'm', "message", "string", offsetof(struct commit_args, message),
	 .help = "Commit message"},
	{OPT_FLAG, 'p', "pause", .offset = offsetof(struct commit_args, pause),
	 .help = "Pause container during commit (default true)"},
	{0},
};
static const struct opt_table commit_table = {"Options", commit_opts};

static void commit_init(void *args)
{
	((struct commit_args *)args)->pause = true;
}

static void commit_done(void *args)
{
	strv_free(&((struct commit_args *)args)->changes);
}

/* --- configuration ------------------------------------------------------------------------ */

static void take_list(const struct value *config, const char *key, struct strv *ret)
{
	const struct value *list = value_find(config, key);

	for (const struct value *v = list ? list->first : NULL; v; v = v->next)
		strv_add(ret, v->text);
}

static void take_names(const struct value *config, const char *key, bool has_values,
		       struct strv *ret)
{
	const struct value *map = value_find(config, key);

	for (const struct value *v = map ? map->first : NULL; v; v = v->next)
		strv_take(ret, has_values ? str_printf("%s=%s", v->key, v->text) : strdup(v->key));
}

static int take_text(const struct value *config, const char *key, char **ret, struct err *e)
{
	const struct value *v = value_find(config, key);

	if (!v || !v->text || !*v->text)
		return 0;
	*ret = strdup(v->text);
	return *ret ? 0 : err_set(e, ENOMEM, "out of memory");
}

static int take_config(const struct value *config, struct image_change *c, struct err *e)
{
	int r;

	take_list(config, "Env", &c->env);
	take_list(config, "Cmd", &c->cmd);
	take_list(config, "Entrypoint", &c->entrypoint);
	take_names(config, "ExposedPorts", false, &c->ports);
	take_names(config, "Volumes", false, &c->volumes);
	take_names(config, "Labels", true, &c->labels);
	c->has_cmd = c->cmd.n;
	c->has_entrypoint = c->entrypoint.n;
	r = take_text(config, "User", &c->user, e);
	if (r >= 0)
		r = take_text(config, "WorkingDir", &c->workdir, e);
	return r < 0 ? r : take_text(config, "StopSignal", &c->stop_signal, e);
}

/* --- files -------------------------------------------------------------------------------- */

static int write_files(struct docker *d, const struct container_found *c, bool pause, int fd,
		       struct err *e)
{
	struct pause_hold hold = PAUSE_HOLD_INIT;
	int r;

	if (pause)
		pause_hold_begin(&hold, &d->cmd.paths, &c->record);
	r = copy_whole(&d->cmd, c->name, fd, e);
	pause_hold_end(&hold);
	return r;
}

static int add_image(struct docker *d, const struct commit_args *a, const struct value *container,
		     int dirfd, int fd, const char *name, char ret_id[IMAGE_ID_BYTES],
		     struct err *e)
{
	const struct tar_image image = {
		.name = name,
		.changes = &a->changes,
		.comment = a->message ? a->message : "",
		.author = a->author && *a->author ? a->author : NULL,
		.created_by_command = true,
	};
	struct image_change config = {0};
	int r = take_config(value_find(container, "Config"), &config, e);

	if (r >= 0)
		r = tar_image_add(d, dirfd, fd, &image, &config, ret_id, e);
	image_change_free(&config);
	return r;
}

static int commit(struct docker *d, const struct commit_args *a, const char *operand,
		  const char *name, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	_value_ struct value *container = NULL;
	_spool_ struct spool files = SPOOL_INIT;
	_close_ int dirfd = -1;
	struct container_found found;
	int r = container_find(&d->cmd.paths, operand + (*operand == '/'), &found, e);

	if (r < 0)
		return r == -ENOENT ? err_set(e, ENOENT, "No such container: %s", operand) : r;
	r = tar_image_check(&a->changes, e);
	if (r >= 0)
		r = inspect_container(&d->cmd.paths, found.name, false, &container, e);
	if (r >= 0)
		r = dirfd = images_open(&d->cmd.paths, e);
	if (r >= 0)
		r = spool_open(&files, dirfd, e);
	if (r >= 0)
		r = write_files(d, &found, a->pause && found.record.spec, files.fd, e);
	if (r >= 0 && lseek(files.fd, 0, SEEK_SET) < 0)
		r = err_sys(e, "read the files again");
	if (r >= 0)
		r = add_image(d, a, container, dirfd, files.fd, name, ret_id, e);
	container_record_free(&found.record);
	return r;
}

static int commit_run(struct docker *d, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *name = NULL;
	char id[IMAGE_ID_BYTES];
	struct err e = ERR_INIT;

	if (argc > 1 && tar_image_name(argv[1], &name, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	if (commit(d, args, argv[0], name, id, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	strbuf_addf(&out, "%s\n", id);
	return cmd_print(&out);
}

const struct docker_verb docker_commit = {
	.name = "commit",
	.usage = "[OPTIONS] CONTAINER [REPOSITORY[:TAG]]",
	.uses = (const struct opt_use[]){{&commit_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 2,
	.args_bytes = sizeof(struct commit_args),
	.init = commit_init,
	.done = commit_done,
	.run = commit_run,
};
