/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The state file says what was last written, the lock whether that still goes on. The file
 * is read first: a run that it calls ended has ended. One that it does not call ended and whose
 * lock is free is looked at once more, as the end is written before the lock is let go; if it is
 * still not there, the supervisor was killed, and with it, by the kernel, all of the container.
 */
#include "runtime/life/container_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_state_priv.h"
#include "runtime/record/container_store.h"
#include "runtime/record/instance.h"
#include "runtime/kernel/main_pid.h"
#include "runtime/settings/paths.h"
#include "runtime/record/run_dir.h"

#define EXIT_KILLED 137

static const char *const names[CONTAINER_STATUS_MAX] = {
	[CONTAINER_CREATED] = "created", [CONTAINER_RUNNING] = "running",
	[CONTAINER_PAUSED] = "paused",   [CONTAINER_RESTARTING] = "restarting",
	[CONTAINER_EXITED] = "exited",   [CONTAINER_DEAD] = "dead",
};

const char *container_status_name(enum container_status s)
{
	return (unsigned)s < CONTAINER_STATUS_MAX ? names[s] : "dead";
}

int container_status_parse(const char *text, enum container_status *ret)
{
	for (unsigned i = 0; i < CONTAINER_STATUS_MAX; i++) {
		if (str_eq(text, names[i])) {
			*ret = (enum container_status)i;
			return 0;
		}
	}
	return -EINVAL;
}

void container_state_from_run(const struct run_state *s, bool live, struct container_state *ret)
{
	*ret = (struct container_state){
		.started_ns = s->started_ns,
		.finished_ns = s->ended_ns,
		.exit_code = s->exit_code,
		.oom_killed = s->oom_killed,
		.restarts = s->restarts,
	};
	if (s->error)
		snprintf(ret->error, sizeof(ret->error), "%s", s->error);
	if (!s->started_ns) {
		ret->status = CONTAINER_CREATED;
		ret->finished_ns = 0;
	} else if (!live) {
		ret->status = CONTAINER_EXITED;
	} else {
		ret->status = CONTAINER_RUNNING;
	}
}

/* The last trace of one that was killed. */
static uint64_t last_written_ns(const struct run_dir *d)
{
	static const char *const files[] = {"state", "log"};
	uint64_t last = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct stat st;
		uint64_t t;

		if (fstatat(d->fd, files[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		t = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
		last = t > last ? t : last;
	}
	return last;
}

void container_state_killed(struct run_state *s, uint64_t last_ns)
{
	s->ended_ns = last_ns > s->started_ns ? last_ns : s->started_ns;
	s->exit_code = EXIT_KILLED;
	s->oom_killed = false;
	free(s->error);
	s->error = strdup("its supervisor was killed");
}

int container_state_of_run(const struct run_dir *d, struct container_state *ret, struct err *e)
{
	struct run_state s = {0};
	bool live = false, restarting;
	int r = run_dir_state(d, &s, e);

	while (r >= 0 && run_state_goes_on(&s) && !(live = run_dir_is_live(d))) {
		uint64_t started_ns = s.started_ns;

		run_state_free(&s);
		r = run_dir_last_state(d, &s, e);
		if (r < 0 || !run_state_goes_on(&s))
			break;
		/* Another one is a newer start: its lock is to be looked at. */
		if (s.started_ns == started_ns)
			container_state_killed(&s, last_written_ns(d));
	}
	restarting = r >= 0 && s.restarting && run_dir_is_live(d);
	if (r >= 0)
		container_state_from_run(&s, live, ret);
	if (restarting)
		ret->status = CONTAINER_RESTARTING;
	run_state_free(&s);
	/* Its first start is under way. */
	if (r == -ENOENT) {
		*ret = (struct container_state){.status = CONTAINER_CREATED};
		return 0;
	}
	return r;
}

int container_state_at(int containers, const char *name, const struct container_record *rec,
		       struct container_state *ret, struct err *e)
{
	_close_ int dir = openat(containers, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct run_dir d;
	int r;

	*ret = (struct container_state){.status = CONTAINER_CREATED};
	if (dir < 0)
		return errno == ENOENT ? container_missing(e) : err_sys(e, "open %s", name);
	r = run_dir_open_kept(dir, rec->container_id, &d);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return err_code(e, r, "open the run of %s", name);
	r = container_state_of_run(&d, ret, e);
	run_dir_close(&d);
	return r;
}

int container_run_dir(const struct paths *p, const char *name, const struct container_record *rec,
		      struct run_dir *ret, struct err *e)
{
	_close_ int dirfd = container_store_open_dir(p, e), dir = -1;
	int r;

	*ret = (struct run_dir)RUN_DIR_INIT;
	if (dirfd < 0)
		return dirfd;
	dir = openat(dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT ? container_missing(e) : err_sys(e, "open %s", name);
	r = run_dir_open_kept(dir, rec->container_id, ret);
	return r < 0 && r != -ENOENT ? err_code(e, r, "open the run of %s", name) : 0;
}

/* The state of a recipe is what runs of it. */
static int state_of_recipe(const struct paths *p, const char *name, struct container_state *ret,
			   struct err *e)
{
	struct instance_list l;
	int r = instance_list(p, name, &l, e);

	*ret = (struct container_state){.status = CONTAINER_CREATED};
	if (r < 0)
		return r;
	if (l.n) {
		ret->status = l.items[0].paused ? CONTAINER_PAUSED : CONTAINER_RUNNING;
		ret->started_ns = l.items[0].started_ns;
		ret->pid = main_pid_of(l.items[0].init);
	}
	instance_list_free(&l);
	return 0;
}

int container_state_read(const struct paths *p, const char *name,
			 const struct container_record *rec, struct container_state *ret,
			 struct err *e)
{
	_close_ int dirfd = -1;
	struct instance_record i = {0};
	int r;

	if (!rec->spec)
		return state_of_recipe(p, name, ret, e);
	dirfd = container_store_open_dir(p, e);
	r = dirfd < 0 ? dirfd : container_state_at(dirfd, name, rec, ret, e);
	if (r < 0 || ret->status != CONTAINER_RUNNING)
		return r;
	if (instance_read(p, rec->container_id, &i, NULL) >= 0) {
		ret->pid = main_pid_of(i.init);
		ret->status = i.paused ? CONTAINER_PAUSED : CONTAINER_RUNNING;
	}
	instance_record_free(&i);
	return 0;
}
