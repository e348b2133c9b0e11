/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/life/gc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/life/gc_priv.h"
#include "runtime/record/instance.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/userns/tree_remove.h"

/* --- report ------------------------------------------------------------------------------- */

const char *gc_kind_name(enum gc_kind kind)
{
	static const char *const names[GC_KINDS] = {
		[GC_JOB] = "job",         [GC_INSTANCE] = "instance",
		[GC_SCRATCH] = "scratch", [GC_TEMPORARY] = "temporary",
		[GC_SOCKET] = "socket",   [GC_SERVER] = "server",
		[GC_CACHE] = "cache",     [GC_CGROUP] = "cgroup",
		[GC_RUN] = "run",         [GC_CONTAINER] = "container",
		[GC_VOLUME] = "volume",   [GC_EXEC] = "exec",
	};

	return names[kind];
}

bool gc_report_add(struct gc_report *r, enum gc_kind kind, char *path, const char *failed)
{
	struct gc_item item = {.kind = kind, .path = path};

	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct gc_item *p = reallocarray(r->items, cap, sizeof(*p));

		if (!p) {
			free(path);
			return false;
		}
		r->items = p;
		r->cap = cap;
	}
	if (failed)
		item.failed = strdup(failed);
	r->items[r->n++] = item;
	return item.path && (!failed || item.failed);
}

/* One finding, takes the path; failure is why it is still there, NULL = it is gone. */
void gc_note_path(struct gc *g, enum gc_kind kind, char *path, const struct err *failure)
{
	if (!gc_report_add(g->report, kind, path, failure ? failure->msg : NULL))
		g->failed = true;
}

void gc_note(struct gc *g, enum gc_kind kind, const struct gc_area *a, const char *name,
	     const struct err *failure)
{
	gc_note_path(g, kind, str_printf("%s/%s", a->path, name), failure);
}

void gc_report_free(struct gc_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].path);
		free(r->items[i].failed);
	}
	free(r->items);
	*r = (struct gc_report){0};
}

void gc_remove_file(struct gc *g, enum gc_kind kind, const struct gc_area *a, const char *name)
{
	struct err e = ERR_INIT;

	if (!g->q->dry_run && unlinkat(a->fd, name, 0) < 0) {
		/* Its owner, or another gc, was faster. */
		if (errno == ENOENT)
			return;
		err_sys(&e, "unlink");
	}
	gc_note(g, kind, a, name, e.code ? &e : NULL);
}

void gc_remove_tree(struct gc *g, enum gc_kind kind, const struct gc_area *a, const char *name)
{
	struct err e = ERR_INIT;

	if (!g->q->dry_run)
		(void)tree_remove(a->fd, name, &e);
	gc_note(g, kind, a, name, e.code ? &e : NULL);
}

/* --- areas -------------------------------------------------------------------------------- */

static int read_names(struct gc_area *a, struct err *e)
{
	int list = openat(a->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);
	const struct dirent *ent;

	if (!d)
		return err_sys(e, "list %s", a->path);
	while ((ent = readdir(d))) {
		if (!str_is_dots(ent->d_name))
			strv_add(&a->names, ent->d_name);
	}
	closedir(d);
	return strv_check(&a->names, e);
}

/* Takes the path. A directory that does not exist yet is not made for this. */
int gc_area_open(struct gc_area *a, char *path, const char *base, const char *sub, struct err *e)
{
	*a = (struct gc_area)GC_AREA_INIT;
	a->path = path;
	if (!path)
		return err_oom(e);
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	a->fd = paths_open(base, sub, e);
	return a->fd < 0 ? a->fd : read_names(a, e);
}

void gc_area_close(struct gc_area *a)
{
	fd_close(&a->fd);
	free(a->path);
	strv_free(&a->names);
}

/* --- temporary names ---------------------------------------------------------------------- */

/* What was made ahead is not told: no process has left it by mistake. */
void gc_sweep_temporaries(struct gc *g, const struct gc_area *a)
{
	_close_ int lock = -1;

	for (size_t i = 0; i < a->names.n; i++) {
		bool is_ahead = temp_is_ahead(a->names.items[i]);

		if (!is_ahead && !temp_is_name(a->names.items[i]))
			continue;
		if (lock < 0)
			lock = temp_try_exclusive(a->fd, NULL);
		/* Somebody is at work in there: nothing is debris for sure. */
		if (lock < 0)
			return;
		if (!is_ahead)
			gc_remove_tree(g, GC_TEMPORARY, a, a->names.items[i]);
		else if (!g->q->dry_run)
			(void)tree_remove(a->fd, TEMP_AHEAD, NULL);
	}
}
