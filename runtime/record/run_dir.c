/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/run_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/result.h"
#include "runtime/spec/result_json.h"
#include "runtime/spec/spec.h"

/* --- one's own ---------------------------------------------------------------------------- */

int run_dir_open(int runs, const char *id, struct run_dir *ret)
{
	*ret = (struct run_dir)RUN_DIR_INIT;
	ret->fd = openat(runs, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ret->fd < 0)
		return -errno;
	snprintf(ret->id, sizeof(ret->id), "%s", id);
	return 0;
}

static int fill(struct run_dir *d, const struct container_spec *s, struct err *e)
{
	const struct run_state state = {.name = s->name, .started_ns = clock_realtime_ns()};
	int r;

	d->lock_fd =
		openat(d->fd, "lock", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (d->lock_fd < 0)
		return err_sys(e, "lock the run");
	r = file_lock_wait(d->lock_fd, true);
	if (r < 0)
		return err_code(e, r, "lock the run");
	r = run_state_tell(d->lock_fd, &state, e);
	return r < 0 ? r : run_state_write(d->fd, &state, e);
}

int run_dir_create(const struct paths *p, const struct container_spec *s, struct run_dir *ret,
		   struct err *e)
{
	_close_ int runs = paths_open(p->data, "runs", e);
	int r;

	*ret = (struct run_dir)RUN_DIR_INIT;
	if (runs < 0)
		return runs;
	if (mkdirat(runs, s->id, 0700) < 0)
		return err_sys(e, "make %s/runs/%s", p->data, s->id);
	r = run_dir_open(runs, s->id, ret);
	r = r < 0 ? err_code(e, r, "open %s/runs/%s", p->data, s->id) : fill(ret, s, e);
	if (r < 0)
		run_dir_discard(p, ret);
	return r;
}

static void set_end(struct run_state *state, const struct run_result *res)
{
	state->ended_ns = clock_realtime_ns();
	state->exit_code = run_exit_code(res);
	state->oom_killed = res->oom_killed;
	state->restarting = false;
	free(state->error);
	state->error = res->error.code ? strdup(res->error.msg) : NULL;
}

static int write_end(const struct run_dir *d, struct run_state *state, const struct run_result *res,
		     struct err *e)
{
	int r, told;

	set_end(state, res);
	r = run_state_write(d->fd, state, e);
	told = run_state_tell(d->lock_fd, state, r < 0 ? NULL : e);
	return r < 0 ? r : told;
}

int run_dir_tell(const struct run_dir *d, const struct run_result *res, struct err *e)
{
	struct run_state state = {0};
	int r = run_dir_state(d, &state, e);

	if (r >= 0) {
		set_end(&state, res);
		r = run_state_tell(d->lock_fd, &state, e);
	}
	run_state_free(&state);
	return r;
}

int run_dir_finish(const struct run_dir *d, const struct container_spec *s,
		   const struct run_result *res, struct err *e)
{
	const struct io_replace where = {
		.dirfd = d->fd, .name = "result", .mode = 0600, .replace = 1};
	_strbuf_ struct strbuf json = STRBUF_INIT;
	struct run_state state = {0};
	int r = result_json(s, res, false, &json, e), end;

	if (r >= 0)
		r = io_write_file_at(&where, strbuf_str(&json), json.len, e);
	/* Without room for the whole result its end is told all the same. */
	end = run_dir_state(d, &state, r < 0 ? NULL : e);
	if (end >= 0)
		end = write_end(d, &state, res, r < 0 ? NULL : e);
	run_state_free(&state);
	return r < 0 ? r : end;
}

void run_dir_close(struct run_dir *d)
{
	fd_close(&d->lock_fd);
	fd_close(&d->fd);
}

int run_dir_remove(int runs, const struct run_dir *d, struct err *e)
{
	static const char *const names[] = {"log", "log.1", "result", "state", "lock"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)unlinkat(d->fd, names[i], 0);
	return unlinkat(runs, d->id, AT_REMOVEDIR) < 0 ? err_sys(e, "remove run %s", d->id) : 0;
}

void run_dir_discard(const struct paths *p, struct run_dir *d)
{
	_close_ int runs = paths_open(p->data, "runs", NULL);

	if (runs >= 0 && d->fd >= 0)
		(void)run_dir_remove(runs, d, NULL);
	run_dir_close(d);
}

/* --- others' ------------------------------------------------------------------------------ */

static int open_lock(const struct run_dir *d)
{
	return openat(d->fd, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

bool run_dir_is_live(const struct run_dir *d)
{
	_close_ int fd = open_lock(d);

	return fd >= 0 && file_lock_is_held(fd);
}

int run_dir_wait(const struct run_dir *d, struct err *e)
{
	_close_ int fd = open_lock(d);
	int r = fd < 0 ? -errno : file_lock_wait(fd, false);

	return r < 0 ? err_code(e, r, "wait for run %s", d->id) : 0;
}

static int visit(int runs, const char *id,
		 int (*fn)(void *arg, int runs_fd, const struct run_dir *d,
			   const struct run_state *s),
		 void *arg)
{
	struct run_state state;
	struct run_dir d;
	int r = 0;

	if (!name_is_id(id) || run_dir_open(runs, id, &d) < 0)
		return 0;
	if (run_dir_state(&d, &state, NULL) >= 0) {
		r = fn(arg, runs, &d, &state);
		run_state_free(&state);
	}
	run_dir_close(&d);
	return r;
}

int run_dir_each(const struct paths *p,
		 int (*fn)(void *arg, int runs_fd, const struct run_dir *d,
			   const struct run_state *s),
		 void *arg, struct err *e)
{
	_free_ char *path = str_printf("%s/runs", p->data);
	_close_ int runs = -1, list = -1;
	const struct dirent *ent;
	DIR *d;
	int r = 0;

	if (path && access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	runs = paths_open(p->data, "runs", e);
	if (runs < 0)
		return runs;
	list = openat(runs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = list < 0 ? NULL : fdopendir(list);
	if (!d)
		return err_sys(e, "list %s/runs", p->data);
	(void)take_fd(&list);
	while (r >= 0 && (ent = readdir(d)))
		r = visit(runs, ent->d_name, fn, arg);
	closedir(d);
	return r;
}

struct search {
	const char *operand;
	char best[16];
	uint64_t best_ns;
	unsigned n_ids;
	bool named; /* the best is of that name: ids that begin so do not count */
};

static int consider(void *arg, int runs, const struct run_dir *d, const struct run_state *s)
{
	struct search *x = arg;
	size_t len = strlen(x->operand);
	bool named = s->name && !strcmp(s->name, x->operand);

	(void)runs;
	if (!named && (len < 4 || len > NAME_ID_DIGITS || strncmp(d->id, x->operand, len)))
		return 0;
	if (x->named && !named)
		return 0;
	x->n_ids += !named;
	if (!x->best[0] || named > x->named || s->started_ns > x->best_ns) {
		snprintf(x->best, sizeof(x->best), "%s", d->id);
		x->best_ns = s->started_ns;
		x->named = named;
	}
	return 0;
}

int run_dir_find(const struct paths *p, const char *operand, struct run_dir *ret,
		 struct run_state *state, struct err *e)
{
	struct search x = {.operand = operand};
	_close_ int runs = -1;
	int r = run_dir_each(p, consider, &x, e);

	*ret = (struct run_dir)RUN_DIR_INIT;
	*state = (struct run_state){0};
	if (r < 0)
		return r;
	if (!x.best[0])
		return err_from(ERR_NO_CONTAINER, e,
				err_set(e, ENOENT, "no detached start of that name or id"));
	if (!x.named && x.n_ids > 1)
		return err_set(e, ENOTUNIQ, "%u runs have an id that begins so", x.n_ids);
	runs = paths_open(p->data, "runs", e);
	if (runs < 0)
		return runs;
	r = run_dir_open(runs, x.best, ret);
	if (r < 0)
		return err_code(e, r, "open run %s", x.best);
	r = run_dir_state(ret, state, e);
	if (r < 0)
		run_dir_close(ret);
	return r;
}

struct removal {
	const char *name;
	struct err *e;
};

/*
 * No program runs any more in a container that could be removed, but the supervisor may still write
 * the result down. A run that lasts longer is of a new container of that name.
 */
static bool ends_now(const struct run_dir *d)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	uint64_t until_ms = clock_monotonic_ms() + 2000;
	bool live = run_dir_is_live(d);

	while (live && clock_monotonic_ms() < until_ms) {
		nanosleep(&pause, NULL);
		live = run_dir_is_live(d);
	}
	return !live;
}

static int remove_if_named(void *arg, int runs, const struct run_dir *d, const struct run_state *s)
{
	struct removal *x = arg;

	if (!s->name || strcmp(s->name, x->name) || !ends_now(d))
		return 0;
	return run_dir_remove(runs, d, x->e);
}

int run_dir_remove_all(const struct paths *p, const char *name, struct err *e)
{
	struct removal x = {name, e};

	return run_dir_each(p, remove_if_named, &x, e);
}
