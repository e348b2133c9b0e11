/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/life/container_wait.h"

#include <fcntl.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_state_priv.h"
#include "runtime/record/container_store.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/record/run_dir.h"

static bool goes_on(const struct container_state *s)
{
	return s->status == CONTAINER_RUNNING || s->status == CONTAINER_PAUSED ||
	       s->status == CONTAINER_RESTARTING;
}

/* 1: the run that it found free has a newer one now. */
static int look(int dirfd, const char *name, const struct container_record *r,
		struct container_wait *ret, struct err *e)
{
	_free_ char *path = str_printf("%s/run/lock", name);
	_close_ int fd = -1;
	bool is_held;
	int rc;

	if (!path)
		return err_oom(e);
	/* The lock first: with it in hand the end is known, whatever is removed meanwhile. */
	fd = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		return err_sys(e, "open the run of %s", name);
	/* Before the state is read: a run that ends between the two would have no end in it. */
	is_held = fd >= 0 && file_lock_is_held(fd);
	/* A newer container of that name is not waited for. */
	rc = fd < 0 ? 0 : container_store_check_id(dirfd, name, r->container_id, e);
	if (rc >= 0)
		rc = container_state_at(dirfd, name, r, &ret->state, e);
	if (rc < 0)
		return rc;
	if (is_held)
		ret->lock_fd = take_fd(&fd);
	return !is_held && goes_on(&ret->state);
}

int container_wait_begin(const struct paths *p, const char *name, const struct container_record *r,
			 struct container_wait *ret, struct err *e)
{
	_close_ int dirfd = container_store_open_dir(p, e);
	int rc;

	*ret = (struct container_wait)CONTAINER_WAIT_INIT;
	if (dirfd < 0)
		return dirfd;
	do
		rc = look(dirfd, name, r, ret, e);
	while (rc > 0);
	return rc;
}

bool container_wait_goes_on(const struct container_wait *w)
{
	return w->lock_fd >= 0 && file_lock_is_held(w->lock_fd);
}

int container_wait_end(struct container_wait *w, struct err *e)
{
	struct run_state s;
	int r;

	if (w->lock_fd < 0)
		return 0;
	r = file_lock_wait(w->lock_fd, false);
	if (r < 0)
		return err_code(e, r, "wait");
	if (run_state_told(w->lock_fd, &s, NULL) < 0) {
		s = (struct run_state){.started_ns = w->state.started_ns};
		if (!s.started_ns && w->state.status == CONTAINER_CREATED)
			return 0;
		w->was_killed = true;
	}
	w->was_killed = w->was_killed || run_state_goes_on(&s);
	if (w->was_killed)
		container_state_killed(&s, clock_realtime_ns());
	container_state_from_run(&s, false, &w->state);
	run_state_free(&s);
	fd_close(&w->lock_fd);
	return 0;
}

void container_wait_close(struct container_wait *w)
{
	fd_close(&w->lock_fd);
}
