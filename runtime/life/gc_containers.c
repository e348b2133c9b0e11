/* SPDX-License-Identifier: Apache-2.0 */
/* Containers that a killed supervisor could not remove, and those of owners that are gone. */
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/life/container_end.h"
#include "runtime/record/container_find.h"
#include "runtime/life/container_state.h"
#include "runtime/record/container_again.h"
#include "runtime/record/container_index.h"
#include "runtime/record/container_store.h"
#include "runtime/life/gc_priv.h"
#include "runtime/record/owner.h"
#include "runtime/record/volume.h"
#include "runtime/settings/paths.h"

static bool is_debris(const struct gc *g, const char *name, const struct container_record *rec)
{
	struct container_state state;

	if (!rec->spec || (!rec->auto_remove && !rec->owner) ||
	    container_state_read(g->paths, name, rec, &state, NULL) < 0)
		return false;
	if (container_is_active(state.status))
		return false;
	return (rec->auto_remove && state.started_ns) || (rec->owner && owner_is_gone(rec->owner));
}

static void sweep(struct gc *g, const struct gc_area *a, const char *name)
{
	struct container_record rec;
	struct err e = ERR_INIT;
	int r = 0;

	if (container_store_read(a->fd, name, &rec, NULL) < 0)
		return;
	if (!g->q->dry_run && rec.container_id)
		(void)container_index_put(a->fd, rec.container_id, name, NULL);
	if (is_debris(g, name, &rec)) {
		if (!g->q->dry_run)
			r = container_remove_left(g->paths, name, &rec, &e);
		/* Busy: it has just been started, or another gc is at it. */
		if (r != -EBUSY && r != -ENOENT)
			gc_note(g, GC_CONTAINER, a, name, r < 0 ? &e : NULL);
	}
	container_record_free(&rec);
}

/* Volumes of a process that died while it was about to make, or to remove, their container. */
int gc_sweep_volumes(struct gc *g, struct err *e)
{
	struct gc_area a;
	int r = gc_area_open(&a, str_printf("%s/volumes", g->paths->data), g->paths->data,
			     "volumes", e);

	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		const char *name = a.names.items[i];
		struct err failed = ERR_INIT;
		int gone = 0;

		if (!volume_is_anonymous(name) || !volume_is_debris(g->paths, name))
			continue;
		if (!g->q->dry_run)
			gone = volume_remove(g->paths, name, &failed);
		if (gone != -ENOENT && gone != -EBUSY)
			gc_note(g, GC_VOLUME, &a, name, gone < 0 ? &failed : NULL);
	}
	gc_area_close(&a);
	return r;
}

static void sweep_index(const struct gc *g, const struct gc_area *a)
{
	_close_ int lock = a->fd < 0 || g->q->dry_run ? -1 : temp_try_exclusive(a->fd, NULL);

	if (lock >= 0) {
		container_index_sweep(a->fd);
		container_again_sweep(a->fd);
	}
}

int gc_sweep_containers(struct gc *g, struct err *e)
{
	struct gc_area a;
	int r = gc_area_open(&a, str_printf("%s/containers", g->paths->data), g->paths->data,
			     "containers", e);

	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		if (name_is_valid(a.names.items[i]))
			sweep(g, &a, a.names.items[i]);
	}
	sweep_index(g, &a);
	gc_area_close(&a);
	return r;
}
