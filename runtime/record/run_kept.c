/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a container that stays: containers/NAME/run. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/record/container_record.h"
#include "runtime/record/run_dir.h"
#include "runtime/spec/name.h"
#include "runtime/spec/result.h"

#define LOCK_TRIES 1000

int run_dir_open_kept(int dirfd, const char *id, struct run_dir *ret)
{
	int r = run_dir_open(dirfd, "run", ret);

	if (r >= 0)
		snprintf(ret->id, sizeof(ret->id), "%s", id);
	return r;
}

/*
 * A process that waits for an end holds the lock as a reader for a moment after it: that is no
 * other start.
 */
static int try_lock(int fd)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	int r = file_lock_try(fd, true);

	for (int i = 0; i < LOCK_TRIES && r == -EAGAIN && !file_lock_is_held(fd); i++) {
		nanosleep(&pause, NULL);
		r = file_lock_try(fd, true);
	}
	return r;
}

static int open_lock(const struct run_dir *d, bool *ret_is_new)
{
	int fd = openat(d->fd, "lock", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	*ret_is_new = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = openat(d->fd, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

/*
 * Every start has a lock file of its own. On one for all of them the next start may be faster than
 * those that wait for the end of the last: they would go on to wait for an end that was not asked
 * for.
 */
static int renew_lock(struct run_dir *d, struct err *e)
{
	_close_ int fd = -1;
	int r;

	(void)unlinkat(d->fd, "lock.new", 0);
	fd = openat(d->fd, "lock.new", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "make the run's lock");
	r = file_lock_try(fd, true);
	if (r < 0)
		return err_code(e, r, "lock the run");
	if (renameat(d->fd, "lock.new", d->fd, "lock") < 0)
		return err_sys(e, "renew the run's lock");
	fd_close(&d->lock_fd);
	d->lock_fd = take_fd(&fd);
	return 0;
}

/* 1 when the lock file is still the one at its name, 0 when not, -ENOENT when the run is
 * removed. */
static int is_current(const struct run_dir *d, struct err *e)
{
	struct stat ours, named;

	if (fstat(d->lock_fd, &ours) < 0)
		return err_sys(e, "lock the run");
	if (fstatat(d->fd, "lock", &named, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? container_missing(e) : err_sys(e, "lock the run");
	return ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

static int take_lock(struct run_dir *d, struct err *e)
{
	bool is_new = false;
	int r = 0;

	while (!r) {
		fd_close(&d->lock_fd);
		d->lock_fd = open_lock(d, &is_new);
		if (d->lock_fd < 0 && errno == ENOENT)
			return container_missing(e);
		if (d->lock_fd < 0)
			return err_sys(e, "lock the run");
		r = try_lock(d->lock_fd);
		if (r == -EAGAIN)
			return err_set(e, EBUSY, "it is running already, or is about to be");
		r = r < 0 ? err_code(e, r, "lock the run") : is_current(d, e);
	}
	if (r < 0)
		return r;
	return is_new ? 0 : renew_lock(d, e);
}

int run_dir_take(int dirfd, const char *id, struct run_dir *ret, struct err *e)
{
	int r;

	*ret = (struct run_dir)RUN_DIR_INIT;
	if (mkdirat(dirfd, "run", 0700) < 0 && errno != EEXIST)
		return errno == ENOENT ? container_missing(e)
				       : err_sys(e, "make the run's directory");
	r = run_dir_open_kept(dirfd, id, ret);
	if (r == -ENOENT) /* it is being deleted */
		return container_missing(e);
	r = r < 0 ? err_code(e, r, "open the run's directory") : take_lock(ret, e);
	if (r < 0)
		run_dir_close(ret);
	return r;
}

int run_dir_started(const struct run_dir *d, const char *name, struct err *e)
{
	struct run_state s = {
		.started_ns = clock_realtime_ns(), .name = (char *)name, .restarts = d->restarts};
	int r = run_state_tell(d->lock_fd, &s, e);

	if (r < 0)
		return r;
	/*
	 * A process that looks for a container that is started again finds its instance from here
	 * on.
	 */
	run_dir_cancel_restart(d);
	return run_state_write(d->fd, &s, e);
}

/* --- between two starts --------------------------------------------------------------------- */

#define AGAIN "again" /* is there while the supervisor waits; without it the wait ends */
#define WITHOUT_WATCH_MS 200u

int run_dir_restarting(const struct run_dir *d, const struct run_result *res, struct err *e)
{
	_close_ int mark = openat(d->fd, AGAIN, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct run_state s = {0};
	int r = mark < 0 ? err_sys(e, "make run/" AGAIN) : run_dir_state(d, &s, e);

	if (r >= 0) {
		s.ended_ns = clock_realtime_ns();
		s.exit_code = run_exit_code(res);
		s.oom_killed = res->oom_killed;
		s.restarts = d->restarts;
		s.restarting = true;
		r = run_state_write(d->fd, &s, e);
	}
	run_state_free(&s);
	return r;
}

bool run_dir_wait_restart(const struct run_dir *d, uint64_t ms)
{
	uint64_t end_ms = clock_monotonic_ms() + ms, now_ms;
	_close_ int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	struct pollfd p = {.fd = watch, .events = POLLIN};
	char path[32], events[1024];
	bool has_watch, is_wanted;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", d->fd);
	has_watch = watch >= 0 && inotify_add_watch(watch, path, IN_DELETE | IN_ONLYDIR) >= 0;
	while ((is_wanted = faccessat(d->fd, AGAIN, F_OK, 0) == 0) &&
	       (now_ms = clock_monotonic_ms()) < end_ms) {
		uint64_t left_ms = end_ms - now_ms;

		if (!has_watch && left_ms > WITHOUT_WATCH_MS)
			left_ms = WITHOUT_WATCH_MS;
		(void)poll(&p, 1, (int)left_ms);
		if (watch >= 0)
			(void)!read(watch, events, sizeof(events));
	}
	return is_wanted;
}

void run_dir_cancel_restart(const struct run_dir *d)
{
	if (d->fd >= 0)
		(void)unlinkat(d->fd, AGAIN, 0);
}

bool run_dir_is_taken(int containers, const char *name)
{
	char path[NAME_BYTES_MAX + sizeof("/run/lock")];
	_close_ int lock = -1;

	snprintf(path, sizeof(path), "%s/run/lock", name);
	lock = openat(containers, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return lock >= 0 && file_lock_is_held(lock);
}

int run_dir_oom_killed(const struct run_dir *d, struct err *e)
{
	struct run_state s = {0};
	int r = run_dir_state(d, &s, e);

	s.oom_killed = true;
	if (r >= 0)
		r = run_state_write(d->fd, &s, e);
	run_state_free(&s);
	return r;
}

int run_dir_failed(const struct run_dir *d, int exit_code, const char *why, struct err *e)
{
	struct run_state s = {0};
	int r, told;

	if (run_dir_state(d, &s, NULL) < 0)
		s = (struct run_state){0};
	/* One that was killed before has its end now. */
	if (run_state_goes_on(&s))
		s.ended_ns = clock_realtime_ns();
	s.exit_code = exit_code;
	free(s.error);
	s.error = strdup(why);
	r = run_state_write(d->fd, &s, e);
	told = run_state_tell(d->lock_fd, &s, r < 0 ? NULL : e);
	run_state_free(&s);
	return r < 0 ? r : told;
}
