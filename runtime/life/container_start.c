/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/life/container_start.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_sources.h"
#include "runtime/start/container.h"
#include "runtime/record/container_again.h"
#include "runtime/record/container_index.h"
#include "runtime/record/container_store.h"
#include "runtime/start/detach.h"
#include "runtime/record/hosts.h"
#include "runtime/record/owner.h"
#include "runtime/server/image_stack.h"
#include "runtime/settings/paths.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/result.h"
#include "runtime/spec/flat.h"
#include "runtime/record/volume.h"

#define CODE_FAILED 125 /* docs/cli.md, "Exit codes" */

static int replace(char **field, char *value, struct err *e)
{
	if (!value)
		return err_oom(e);
	free(*field);
	*field = value;
	return 0;
}

/*
 * Adds the facts that the stored specification cannot know: the places of image and layer, and the
 * name of today.
 */
static int complete(struct container_start *s, bool force, struct err *e)
{
	const struct container_record *rec = &s->found.record;
	struct rootfs_spec *root = &s->spec.rootfs;
	char *path = NULL;
	_close_ int fd =
		container_store_open_image(s->paths, s->found.name, rec, &path, &root->id, e);
	int r;

	if (fd < 0)
		return fd;
	root->kind = rec->kind;
	root->force_layer = force;
	if (root->upper == UPPER_THROWAWAY)
		root->upper = UPPER_KEPT;
	r = replace(&root->path, path, e);
	if (r >= 0 && rec->is_stack)
		r = image_stack_find(fd, root, e);
	if (r >= 0)
		r = replace(&root->layer_path,
			    str_printf("%s/%s", s->paths->layers, rec->container_id), e);
	if (r >= 0)
		r = replace(&s->spec.name, strdup(s->found.name), e);
	if (r >= 0)
		r = replace(&s->spec.id, strndup(rec->container_id, NAME_ID_DIGITS), e);
	return r;
}

/* A policy that came since holds for what was made before it. */
static int apply_policy(struct container_spec *s, struct err *e)
{
	struct policy policy = POLICY_INIT;
	int r = policy_load(&policy, e);

	if (r >= 0)
		r = policy_apply(&policy, s, e);
	policy_free(&policy);
	return r;
}

static int take_run(struct container_start *s, struct err *e)
{
	_close_ int dirfd = container_store_open_dir(s->paths, e);
	_close_ int dir = dirfd < 0 ? -1
				    : openat(dirfd, s->found.name,
					     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const char *id = s->found.record.container_id;
	int r;

	if (dirfd < 0)
		return dirfd;
	if (dir < 0)
		return errno == ENOENT ? container_missing(e)
				       : err_sys(e, "open %s", s->found.name);
	r = run_dir_take(dir, id, &s->run, e);
	if (r < 0)
		return r;
	r = container_store_check_id(dirfd, s->found.name, id, e);
	if (r < 0)
		run_dir_close(&s->run);
	return r;
}

static int read_spec(struct container_start *s, bool force, struct err *e)
{
	const struct container_record *rec = &s->found.record;
	int r = spec_flat_read(&s->spec, rec->spec, rec->spec_len, e);

	if (r >= 0)
		r = complete(s, force, e);
	if (r >= 0)
		r = apply_policy(&s->spec, e);
	if (r >= 0 && rec->dialect == DIALECT_DOCKER)
		r = hosts_prepare(s->paths, s->found.name, &s->spec, e);
	return r;
}

/*
 * It may have been renamed meanwhile, but not removed: its run is ours. Processes that wait for its
 * end are let go as soon as no process finds it any more.
 */
static int remove_it(struct container_start *s, struct err *e)
{
	struct container_debris debris;
	struct container_found now;
	int r;

	volume_begin_removal_of(s->paths, &s->found.record);
	do {
		r = container_find_again(s->paths, s->found.name, s->found.record.container_id,
					 &now, e);
		if (r < 0)
			break;
		r = container_store_condemn(s->paths, now.name, now.record.container_id, &debris,
					    e);
		container_record_free(&now.record);
	} while (r == -ENOENT);
	if (r < 0) {
		volume_keep_of(s->paths, &s->found.record);
		return r;
	}
	r = volume_remove_of(s->paths, &s->found.record, e);
	run_dir_close(&s->run);
	/* An entry of the index that leads nowhere is none. */
	container_index_remove(debris.dirfd, s->found.record.container_id);
	layer_make_ahead(&debris.layer);
	container_store_make_ahead(debris.dirfd);
	(void)container_debris_delete(&debris, NULL);
	return r;
}

void container_start_failed(struct container_start *s, int exit_code, const char *why)
{
	(void)run_dir_failed(&s->run, exit_code, why, NULL);
	if (s->found.record.auto_remove)
		(void)remove_it(s, NULL);
}

int container_start_begin(const struct paths *p, struct container_found *found, bool force,
			  struct container_start *ret, struct err *e)
{
	const struct container_record *rec = &ret->found.record;
	int r;

	*ret = (struct container_start){
		.paths = p, .found = *found, .run = RUN_DIR_INIT, .log = RUN_LOG_INIT};
	ret->owner_fd = ret->held_fd = -1;
	found->record = (struct container_record){0};
	spec_init(&ret->spec);
	r = rec->spec ? take_run(ret, e)
		      : err_set(e, EINVAL, "a recipe has nothing of its own to start");
	if (r >= 0)
		r = read_spec(ret, force, e);
	if (r >= 0 && rec->owner)
		r = ret->owner_fd = owner_open(rec->owner, e);
	if (r >= 0)
		r = run_log_reopen(ret->run.fd, RUN_LOG_BYTES, &ret->log, e);
	/* Of one whose run is not ours another process has to see what becomes of it. */
	if (r < 0 && ret->run.lock_fd >= 0 && rec->auto_remove)
		container_start_failed(ret, CODE_FAILED, e ? e->msg : "");
	if (r < 0)
		container_start_close(ret);
	return r < 0 ? r : 0;
}

static void note_lost_output(struct container_start *s, struct run_result *ret)
{
	if (s->log.all_lost_bytes)
		strv_take(&ret->degraded, str_printf("log: %llu bytes of output are not in it: %s",
						     (unsigned long long)s->log.all_lost_bytes,
						     err_text(s->log.lost_error)));
}

/* True: it is removed. */
static bool end(struct container_start *s, int r, const struct err *error, struct run_result *ret)
{
	bool goes = ret->is_removed || (s->found.record.auto_remove && !ret->is_stopped);

	if (r < 0)
		(void)run_dir_failed(&s->run, CODE_FAILED, error->msg, NULL);
	else if (ret->status == RUN_LAUNCH_ERROR)
		(void)run_dir_failed(&s->run, run_exit_code(ret), ret->error.msg, NULL);
	else if (goes)
		(void)run_dir_tell(&s->run, ret, NULL);
	if (goes && remove_it(s, NULL) >= 0)
		return true;
	if (r >= 0 && ret->status != RUN_LAUNCH_ERROR)
		(void)run_dir_finish(&s->run, &s->spec, ret, NULL);
	return false;
}

struct telling {
	const struct container_start *start;
	const struct container_start_how *how;
};

static void tell_started(void *arg)
{
	const struct telling *t = arg;

	t->how->moment(t->start, CONTAINER_STARTED, NULL);
}

static int run_once(struct container_start *s, const struct container_start_how *how,
		    struct run_result *ret, struct err *e)
{
	struct telling telling = {s, how};
	const struct container_hooks hooks = {
		.started = how->moment ? tell_started : NULL,
		.started_arg = &telling,
		.started_fd = how->started_fd,
		.log = how->in_person ? NULL : &s->log,
		.lent = !how->in_person,
		.stdin_once = how->stdin_once,
		.client_sock = how->client_sock,
		.client_fds = {how->client_fds[0], how->client_fds[1], how->client_fds[2]},
		.kept = &s->run,
		.owner_fd = s->owner_fd > 0 ? s->owner_fd : 0,
		.removed_after = s->found.record.auto_remove,
	};
	int r = container_run(&s->spec, s->paths, &hooks, ret, e);

	if (how->moment && r >= 0)
		how->moment(s, CONTAINER_ENDED, ret);
	return r;
}

/* Its name, its limits and more may have changed since it was started. */
static int read_again(struct container_start *s)
{
	struct container_found now;
	int r = container_find_again(s->paths, s->found.name, s->found.record.container_id, &now,
				     NULL);

	if (r < 0)
		return r;
	container_record_free(&s->found.record);
	s->found = now;
	spec_free(&s->spec);
	spec_init(&s->spec);
	r = read_spec(s, false, NULL);
	return r < 0 ? r : container_sources_keep(&s->spec, &s->sources, NULL);
}

/*
 * From before its first start until after its last, so that a list meets its instance or this entry
 * at any moment. Where it cannot be listed it starts again all the same, and is listed while it
 * runs.
 */
static void list_again(const struct container_start *s, bool is_listed)
{
	_close_ int dirfd = container_store_open_dir(s->paths, NULL);

	if (dirfd >= 0 && is_listed)
		(void)container_again_put(dirfd, s->found.record.container_id, s->found.name, NULL);
	else if (dirfd >= 0)
		container_again_remove(dirfd, s->found.record.container_id);
}

/* By its policy, when it is time. Processes that wait for its end go on waiting. */
static bool starts_again(struct container_start *s, const struct container_start_how *how,
			 const struct run_result *result, uint64_t *wait_ms)
{
	if (!how->again || result->is_asked || result->is_removed ||
	    result->status == RUN_LAUNCH_ERROR || !how->again(s, result, s->run.restarts, wait_ms))
		return false;
	/* It may have got its policy while it ran. */
	if (!s->run.restarts++ && !how->has_policy)
		list_again(s, true);
	return run_dir_restarting(&s->run, result, NULL) >= 0 &&
	       run_dir_wait_restart(&s->run, *wait_ms) && read_again(s) >= 0;
}

int container_start_run(struct container_start *s, const struct container_start_how *how,
			struct run_result *ret, struct err *e)
{
	struct container_start_how now = *how;
	struct err error = ERR_INIT;
	uint64_t wait_ms = 0;
	int r = how->again ? container_sources_note(&s->spec, &s->sources, &error) : 0;

	if (how->has_policy)
		list_again(s, true);
	if (r >= 0)
		r = run_once(s, &now, ret, &error);
	while (r >= 0 && starts_again(s, how, ret, &wait_ms)) {
		/* The client of the first start was told of it, and its streams have ended. */
		now.started_fd = now.client_sock = -1;
		now.client_fds[0] = now.client_fds[1] = now.client_fds[2] = -1;
		run_result_free(ret);
		*ret = (struct run_result){0};
		r = run_once(s, &now, ret, &error);
	}
	run_dir_cancel_restart(&s->run);
	if (how->has_policy || s->run.restarts)
		list_again(s, false);
	fd_close(&s->held_fd);
	run_log_close(&s->log);
	note_lost_output(s, ret);
	if (end(s, r, &error, ret) && how->moment)
		how->moment(s, CONTAINER_REMOVED, NULL);
	if (r < 0 && e)
		*e = error;
	return r;
}

struct detached {
	struct container_start *start;
	struct container_start_how how;
};

static void supervise_detached(void *arg, int report_fd)
{
	struct detached *d = arg;
	struct run_result result = {0};
	struct err e = ERR_INIT;
	int r;

	d->how.started_fd = report_fd;
	for (size_t i = 0; i < d->how.n_callers; i++) {
		if (d->how.callers[i] >= 0)
			close(d->how.callers[i]);
	}
	r = container_start_run(d->start, &d->how, &result, &e);
	if (r < 0)
		detach_failed(report_fd, CODE_FAILED, &e);
	else if (result.status == RUN_LAUNCH_ERROR)
		detach_failed(report_fd, run_exit_code(&result), &result.error);
	run_result_free(&result);
}

int container_start_detached(struct container_start *s, const struct container_start_how *how,
			     int *ret_exit_code, struct err *e)
{
	struct detached d = {s, *how};

	return detach(supervise_detached, &d, how->orphan, ret_exit_code, e);
}

void container_start_close(struct container_start *s)
{
	run_log_close(&s->log);
	run_dir_close(&s->run);
	fd_close(&s->owner_fd);
	fd_close(&s->held_fd);
	spec_free(&s->spec);
	strv_free(&s->sources);
	container_record_free(&s->found.record);
}
