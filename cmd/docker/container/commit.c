/* SPDX-License-Identifier: Apache-2.0 */

/*
 * docker commit: a container's changes become a small file over its image's, which the new image
 * shares (commit_delta.h). If that cannot be, the output of docker export becomes an image of one
 * layer, as docker import makes it. The configuration is the container's own as docker inspect
 * shows it.
 */

#include "cmd/docker/container/commit.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/container/commit_delta.h"
#include "cmd/docker/container/pause_hold.h"
#include "cmd/docker/image/image_event.h"
#include "cmd/docker/image/tar_image.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/show/events.h"
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

static void take_list(const struct docker_value *config, const char *key, struct strv *ret)
{
	const struct docker_value *list = docker_value_find(config, key);

	for (const struct docker_value *v = list ? list->first : NULL; v; v = v->next)
		strv_add(ret, v->text);
}

static void take_names(const struct docker_value *config, const char *key, bool has_values,
		       struct strv *ret)
{
	const struct docker_value *map = docker_value_find(config, key);

	for (const struct docker_value *v = map ? map->first : NULL; v; v = v->next)
		strv_take(ret, has_values ? str_printf("%s=%s", v->key, v->text) : strdup(v->key));
}

static int take_text(const struct docker_value *config, const char *key, char **ret, struct err *e)
{
	const struct docker_value *v = docker_value_find(config, key);

	if (!v || !v->text || !*v->text)
		return 0;
	*ret = strdup(v->text);
	return *ret ? 0 : err_oom(e);
}

static int take_config(const struct docker_value *config, struct image_change *c, struct err *e)
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

struct commit_job {
	struct docker *d;
	const struct docker_commit *how;
	const struct container_found *container;
	struct image_change config;
	struct tar_image image;
	struct image_record
		made_from; /* without an id where it is gone, or was none of the table */
	int dirfd;         /* the image table */
};

/* All files of the container, as an image of its own. */
static int add_whole(struct commit_job *j, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	_spool_ struct spool files = SPOOL_INIT;
	int r = spool_open(&files, j->dirfd, e);

	if (r >= 0)
		r = copy_whole(&j->d->cmd, j->container->name, files.fd, e);
	if (r >= 0 && lseek(files.fd, 0, SEEK_SET) < 0)
		r = err_sys(e, "read the files again");
	return r < 0 ? r
		     : tar_image_add(j->d, j->dirfd, files.fd, &j->image, &j->config, ret_id, e);
}

static int add_image(struct commit_job *j, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	const struct commit_delta delta = {
		.container = j->container,
		.image = &j->image,
		.config = &j->config,
		.dirfd = j->dirfd,
	};
	struct pause_hold hold = PAUSE_HOLD_INIT;
	int r;

	if (j->how->pause && j->container->record.spec)
		pause_hold_begin(&hold, &j->d->cmd.paths, &j->container->record);
	r = commit_delta(j->d, &delta, ret_id, e);
	if (r == -EOPNOTSUPP) {
		*e = (struct err)ERR_INIT;
		r = add_whole(j, ret_id, e);
	}
	pause_hold_end(&hold);
	return r;
}

/* A container whose image is gone is an image without a past. */
static void find_image(struct commit_job *j)
{
	const char *id = j->container->record.image_digest;

	if (id && image_id_hex(id) && image_table_read(j->dirfd, id, &j->made_from, NULL) >= 0)
		j->image.made_from = &j->made_from;
}

static void note(const struct commit_job *j, const char *id)
{
	const struct paths *p = &j->d->cmd.paths;
	const char *name = j->how->name ? image_name_familiar(j->how->name) : "";
	_strv_ struct strv more = STRV_INIT;

	if (*name)
		image_event(p, "tag", id, name);
	strv_take(&more, str_printf("comment=%s", j->image.comment));
	strv_take(&more, str_printf("imageID=%s", id));
	strv_take(&more, str_printf("imageRef=%s", name));
	docker_event_more(p, j->container->name, &j->container->record, "commit", &more);
}

int docker_commit_container(struct docker *d, const struct docker_commit *a, const char *operand,
			    char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	_docker_value_ struct docker_value *container = NULL;
	_close_ int dirfd = -1;
	struct container_found found;
	struct commit_job j = {
		.d = d,
		.how = a,
		.container = &found,
		.image = {.name = a->name,
			  .changes = a->changes,
			  .comment = a->message ? a->message : "",
			  .author = a->author && *a->author ? a->author : NULL,
			  .created_by_command = true},
	};
	int r = container_find(&d->cmd.paths, operand + (*operand == '/'), &found, e);

	if (r < 0)
		return r == -ENOENT ? err_set(e, ENOENT, "No such container: %s", operand) : r;
	r = tar_image_check(a->changes, e);
	if (r >= 0)
		r = inspect_container(&d->cmd.paths, found.name, false, &container, e);
	if (r >= 0)
		r = take_config(docker_value_find(container, "Config"), &j.config, e);
	if (r >= 0 && a->configure)
		r = a->configure(a->arg, &j.config, e);
	if (r >= 0)
		r = j.dirfd = dirfd = images_open(&d->cmd.paths, e);
	if (r >= 0)
		find_image(&j);
	if (r >= 0)
		r = add_image(&j, ret_id, e);
	if (r >= 0)
		note(&j, ret_id);
	if (j.image.made_from)
		image_record_free(&j.made_from);
	image_change_free(&j.config);
	container_record_free(&found.record);
	return r;
}

static int commit_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct commit_args *a = args;
	struct docker_commit how = {.changes = &a->changes,
				    .author = a->author,
				    .message = a->message,
				    .pause = a->pause};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *name = NULL;
	char id[IMAGE_ID_BYTES];
	struct err e = ERR_INIT;

	if (argc > 1 && tar_image_name(argv[1], &name, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	how.name = name;
	if (docker_commit_container(d, &how, argv[0], id, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	strbuf_addf(&out, "%s\n", id);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_commit = {
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
