/* SPDX-License-Identifier: Apache-2.0 */
/* All containers and all that runs: the records, joined with the live instances. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_state_priv.h"
#include "runtime/record/container_store.h"
#include "runtime/record/run_dir.h"
#include "runtime/record/instance.h"
#include "runtime/kernel/main_pid.h"

struct walk {
	unsigned flags;
	int dirfd;
	struct instance_list live; /* sorted by id */
	bool *shown;               /* for each of live */
	int (*fn)(void *arg, const struct container_view *v);
	void *arg;
};

static int by_id(const void *a, const void *b)
{
	const struct instance_record *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static size_t find_live(const struct walk *w, const char *container_id)
{
	char id[NAME_ID_DIGITS + 1];
	const struct instance_record key = {.id = id}, *hit;

	memcpy(id, container_id, NAME_ID_DIGITS);
	id[NAME_ID_DIGITS] = 0;
	hit = w->live.n ? bsearch(&key, w->live.items, w->live.n, sizeof(key), by_id) : NULL;
	return hit ? (size_t)(hit - w->live.items) : w->live.n;
}

static pid_t pid_for(const struct walk *w, const struct instance_record *i)
{
	return w->flags & CONTAINER_EACH_NO_PID ? 0 : main_pid_of(i->init);
}

static int show_kept(struct walk *w, struct container_view *v)
{
	size_t at = find_live(w, v->record->container_id);
	bool runs;

	memcpy(v->id, v->record->container_id, sizeof(v->id));
	/* One that cannot be looked at any more is being removed. */
	if (container_state_at(w->dirfd, v->name, v->record, &v->state, NULL) < 0)
		v->state = (struct container_state){.status = CONTAINER_DEAD};
	runs = v->state.status == CONTAINER_RUNNING;
	if (at < w->live.n) {
		w->shown[at] = true;
		v->instance = runs ? &w->live.items[at] : NULL;
	}
	if (v->instance) {
		v->state.pid = pid_for(w, v->instance);
		v->state.status = v->instance->paused ? CONTAINER_PAUSED : CONTAINER_RUNNING;
	}
	if (!container_is_active(v->state.status) && (w->flags & CONTAINER_EACH_LIVE))
		return 0;
	return w->fn(w->arg, v);
}

static void set_instance(struct walk *w, struct container_view *v, const struct instance_record *i)
{
	memset(v->id, '0', NAME_CONTAINER_ID_DIGITS);
	memcpy(v->id, i->id, NAME_ID_DIGITS);
	v->id[NAME_CONTAINER_ID_DIGITS] = 0;
	v->instance = i;
	v->state = (struct container_state){
		.status = i->paused ? CONTAINER_PAUSED : CONTAINER_RUNNING,
		.pid = pid_for(w, i),
		.started_ns = i->started_ns,
	};
}

static int show_recipe(struct walk *w, struct container_view *v)
{
	bool any = false;
	int r = 0;

	for (size_t i = 0; i < w->live.n && !r; i++) {
		const struct instance_record *rec = &w->live.items[i];

		if (w->shown[i] || !rec->name || strcmp(rec->name, v->name))
			continue;
		w->shown[i] = any = true;
		set_instance(w, v, rec);
		r = w->fn(w->arg, v);
	}
	if (any || (w->flags & CONTAINER_EACH_LIVE))
		return r;
	if (v->record->container_id)
		memcpy(v->id, v->record->container_id, sizeof(v->id));
	v->state = (struct container_state){.status = CONTAINER_CREATED};
	return w->fn(w->arg, v);
}

static int show_container(struct walk *w, const char *name)
{
	struct container_view v = {.name = name, .state.status = CONTAINER_DEAD};
	struct container_record rec;
	int r = container_store_read(w->dirfd, name, &rec, NULL);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return w->flags & CONTAINER_EACH_LIVE ? 0 : w->fn(w->arg, &v);
	v.record = &rec;
	r = rec.spec ? show_kept(w, &v) : show_recipe(w, &v);
	container_record_free(&rec);
	return r;
}

/* Starts of an image, and what runs of a recipe that is gone. */
static int show_others(struct walk *w)
{
	int r = 0;

	for (size_t i = 0; i < w->live.n && !r; i++) {
		const struct instance_record *rec = &w->live.items[i];
		struct container_view v = {.name = rec->name ? rec->name : rec->id};

		if (w->shown[i])
			continue;
		set_instance(w, &v, rec);
		r = w->fn(w->arg, &v);
	}
	return r;
}

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* The many that only lie there need not even be listed. */
static int names_of_live(const struct walk *w, struct strv *ret, struct err *e)
{
	_strv_ struct strv all = STRV_INIT;

	for (size_t i = 0; i < w->live.n; i++) {
		if (w->live.items[i].name)
			strv_add(&all, w->live.items[i].name);
	}
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), by_text);
	for (size_t i = 0; i < all.n; i++) {
		if (!i || !str_eq(all.items[i], all.items[i - 1]))
			strv_add(ret, all.items[i]);
	}
	return strv_check(&all, e) < 0 ? -ENOMEM : strv_check(ret, e);
}

/* No record need be read of the others; one that is about to start again holds its run. */
static int keep_what_runs(const struct walk *w, struct strv *names, struct err *e)
{
	_free_ const char **running = calloc(w->live.n + 1, sizeof(*running));
	_strv_ struct strv kept = STRV_INIT;
	size_t n = 0;

	if (!running)
		return err_oom(e);
	for (size_t i = 0; i < w->live.n; i++) {
		if (w->live.items[i].name)
			running[n++] = w->live.items[i].name;
	}
	qsort(running, n, sizeof(*running), by_text);
	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->items[i];

		if ((n && bsearch(&name, running, n, sizeof(*running), by_text)) ||
		    run_dir_is_taken(w->dirfd, name))
			strv_add(&kept, name);
	}
	strv_free(names);
	*names = kept;
	kept = (struct strv)STRV_INIT;
	return strv_check(names, e);
}

int container_each(const struct paths *p, unsigned flags,
		   int (*fn)(void *arg, const struct container_view *v), void *arg, struct err *e)
{
	struct walk w = {.flags = flags, .dirfd = -1, .fn = fn, .arg = arg};
	_strv_ struct strv containers = STRV_INIT;
	bool is_listed = !(flags & CONTAINER_EACH_LIVE) || flags & CONTAINER_EACH_AGAIN;
	int r = is_listed ? container_store_list(p, &containers, NULL, e) : 0;

	/* Instances after the names: one that was started in between is shown as no container's. */
	if (r >= 0)
		r = instance_list(p, NULL, &w.live, e);
	if (r >= 0)
		r = w.dirfd = container_store_open_dir(p, e);
	if (r >= 0 && !is_listed)
		r = names_of_live(&w, &containers, e);
	else if (r >= 0 && (flags & CONTAINER_EACH_LIVE))
		r = keep_what_runs(&w, &containers, e);
	if (r >= 0 && w.live.n)
		qsort(w.live.items, w.live.n, sizeof(w.live.items[0]), by_id);
	if (r >= 0 && !(w.shown = calloc(w.live.n + 1, sizeof(bool))))
		r = err_oom(e);
	if (r >= 0) {
		r = 0;
		for (size_t i = 0; i < containers.n && !r; i++)
			r = show_container(&w, containers.items[i]);
		if (!r)
			r = show_others(&w);
	}
	free(w.shown);
	fd_close(&w.dirfd);
	instance_list_free(&w.live);
	return r;
}
