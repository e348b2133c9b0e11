/* SPDX-License-Identifier: Apache-2.0 */
/* All containers and all that runs: the records, joined with the live instances. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_state_priv.h"
#include "runtime/record/container_again.h"
#include "runtime/record/container_store.h"
#include "runtime/record/run_dir.h"
#include "runtime/record/instance.h"
#include "runtime/kernel/main_pid.h"

struct walk {
	unsigned flags;
	int dirfd;
	struct instance_list live;            /* sorted by id */
	bool *shown;                          /* for each of live */
	const struct instance_record **named; /* those of live that have a name, sorted by it */
	size_t n_named;
	int (*fn)(void *arg, const struct container_view *v);
	void *arg;
};

static int by_id(const void *a, const void *b)
{
	const struct instance_record *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static int by_name(const void *a, const void *b)
{
	const struct instance_record *const *x = a, *const *y = b;
	int r = strcmp((*x)->name, (*y)->name);

	return r ? r : strcmp((*x)->id, (*y)->id);
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

/* Where in live_by_name those of that name begin. */
static size_t first_of_name(const struct walk *w, const char *name)
{
	size_t low = 0, high = w->n_named;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(w->named[mid]->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int show_recipe(struct walk *w, struct container_view *v)
{
	bool any = false;
	int r = 0;

	for (size_t i = first_of_name(w, v->name);
	     i < w->n_named && str_eq(w->named[i]->name, v->name) && !r; i++) {
		const struct instance_record *rec = w->named[i];

		if (w->shown[rec - w->live.items])
			continue;
		w->shown[rec - w->live.items] = any = true;
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

/* Those that wait for their next start hold their run, but have no instance. */
static int add_waiting(const struct walk *w, struct strv *all, struct err *e)
{
	_strv_ struct strv again = STRV_INIT;
	int r = container_again_list(w->dirfd, &again, e);

	for (size_t i = 0; r >= 0 && i < again.n; i++) {
		if (run_dir_is_taken(w->dirfd, again.items[i]))
			strv_add(all, again.items[i]);
	}
	return r;
}

/* The many that only lie there need not even be listed. */
static int names_of_live(const struct walk *w, struct strv *ret, struct err *e)
{
	_strv_ struct strv all = STRV_INIT;
	int r = w->flags & CONTAINER_EACH_AGAIN ? add_waiting(w, &all, e) : 0;

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
	return r < 0 ? r : strv_check(&all, e) < 0 ? -ENOMEM : strv_check(ret, e);
}

static int index_live(struct walk *w, struct err *e)
{
	if (w->live.n)
		qsort(w->live.items, w->live.n, sizeof(w->live.items[0]), by_id);
	w->shown = calloc(w->live.n + 1, sizeof(*w->shown));
	w->named = calloc(w->live.n + 1, sizeof(*w->named));
	if (!w->shown || !w->named)
		return err_oom(e);
	for (size_t i = 0; i < w->live.n; i++) {
		if (w->live.items[i].name)
			w->named[w->n_named++] = &w->live.items[i];
	}
	if (w->n_named)
		qsort(w->named, w->n_named, sizeof(*w->named), by_name);
	return 0;
}

int container_each(const struct paths *p, unsigned flags,
		   int (*fn)(void *arg, const struct container_view *v), void *arg, struct err *e)
{
	struct walk w = {.flags = flags, .dirfd = -1, .fn = fn, .arg = arg};
	_strv_ struct strv containers = STRV_INIT;
	bool is_listed = !(flags & CONTAINER_EACH_LIVE);
	int r = is_listed ? container_store_list(p, &containers, NULL, e) : 0;

	/* Instances after the names: one that was started in between is shown as no container's. */
	if (r >= 0)
		r = instance_list(p, NULL, &w.live, e);
	if (r >= 0)
		r = w.dirfd = container_store_open_dir(p, e);
	if (r >= 0 && !is_listed)
		r = names_of_live(&w, &containers, e);
	if (r >= 0)
		r = index_live(&w, e);
	if (r >= 0) {
		r = 0;
		for (size_t i = 0; i < containers.n && !r; i++)
			r = show_container(&w, containers.items[i]);
		if (!r)
			r = show_others(&w);
	}
	free(w.shown);
	free(w.named);
	fd_close(&w.dirfd);
	instance_list_free(&w.live);
	return r;
}
