/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/life/gc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/exec/proto.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/life/gc_priv.h"
#include "runtime/record/instance.h"
#include "runtime/layer/layer.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/userns/tree_remove.h"

static int sweep_temporary_area(struct gc *g, const char *base, const char *sub, struct err *e)
{
	struct gc_area a;
	int r = gc_area_open(&a, sub ? str_printf("%s/%s", base, sub) : strdup(base), base, sub, e);

	if (r >= 0 && a.fd >= 0)
		gc_sweep_temporaries(g, &a);
	gc_area_close(&a);
	return r;
}

/* --- instances ---------------------------------------------------------------------------- */

/* The control groups that a dead supervisor's record names; its processes died with it. */
static int remove_groups(struct gc *g, int fd, const char *id, struct err *e)
{
	struct instance_record rec;
	int r = 0;

	/* A half-written record names nothing. */
	if (instance_read_dead(fd, &rec) < 0)
		return 0;
	if (rec.cgroup && cgroup_debris_exists(rec.cgroup)) {
		if (!g->q->dry_run)
			r = cgroup_remove_debris(rec.cgroup, id, e);
		gc_note_path(g, GC_CGROUP, str_printf("%s", rec.cgroup), r < 0 ? e : NULL);
	}
	instance_record_free(&rec);
	return r;
}

static void sweep_instance(struct gc *g, const struct gc_area *a, const char *id)
{
	_close_ int fd = instance_claim_dead(a->fd, id);
	struct err e = ERR_INIT;

	if (fd < 0)
		return;
	/* The file goes last: it is all that leads to the groups. */
	if (remove_groups(g, fd, id, &e) >= 0)
		gc_remove_file(g, GC_INSTANCE, a, id);
}

/* ID.sock of an instance that was killed. */
static void sweep_exec_socket(struct gc *g, const struct gc_area *a, const char *name)
{
	size_t len = strlen(name) - strlen(EXEC_SOCKET_SUFFIX);
	_free_ char *id = strndup(name, len);

	g->failed |= !id;
	if (id && name_is_id(id) && !instance_is_live(a->fd, id))
		gc_remove_file(g, GC_SOCKET, a, name);
}

static int sweep_instances(struct gc *g, struct err *e)
{
	struct gc_area a;
	int r = gc_area_open(&a, str_printf("%s/instances", g->paths->runtime), g->paths->runtime,
			     "instances", e);

	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		if (name_is_id(a.names.items[i]))
			sweep_instance(g, &a, a.names.items[i]);
		else if (str_has_suffix(a.names.items[i], EXEC_SOCKET_SUFFIX))
			sweep_exec_socket(g, &a, a.names.items[i]);
	}
	gc_area_close(&a);
	return r;
}

/* --- scratch layers ----------------------------------------------------------------------- */

/*
 * Unlinks the lock while holding it: a start that waits for it makes its directory again. tmp is
 * what is left to be deleted, "" = nothing.
 */
static int condemn(const struct gc_area *a, const char *id, char tmp[TEMP_NAME_BYTES],
		   struct err *e)
{
	_close_ int dir = openat(a->fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_close_ int lock = -1;

	if (dir < 0)
		return -EAGAIN;
	lock = openat(dir, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (lock < 0 && errno != ENOENT)
		return err_sys(e, "open lock");
	if (lock < 0) {
		/* Just made, or killed before the lock was: only the empty directory goes. */
		*tmp = 0;
		return unlinkat(a->fd, id, AT_REMOVEDIR) < 0 ? -EAGAIN : 0;
	}
	if (file_lock_try(lock, true) < 0)
		return -EAGAIN;
	if (unlinkat(dir, "lock", 0) < 0)
		return err_sys(e, "unlink lock");
	return temp_move_away(a->fd, id, tmp, e);
}

static bool scratch_is_dead(const struct gc_area *a, const char *id)
{
	_free_ char *path = str_printf("%s/lock", id);
	_close_ int lock = path ? openat(a->fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;

	return lock >= 0 && !file_lock_is_held(lock);
}

static void sweep_scratch_layer(struct gc *g, const struct gc_area *a, const char *id)
{
	char tmp[TEMP_NAME_BYTES] = "";
	struct err e = ERR_INIT;
	_close_ int temp = -1;
	int r;

	if (g->q->dry_run) {
		if (scratch_is_dead(a, id))
			gc_note(g, GC_SCRATCH, a, id, NULL);
		return;
	}
	r = temp = temp_begin(a->fd, &e);
	if (r >= 0)
		r = condemn(a, id, tmp, &e);
	if (r == -EAGAIN)
		return;
	if (r >= 0 && *tmp)
		r = tree_remove(a->fd, tmp, &e);
	gc_note(g, GC_SCRATCH, a, id, r < 0 ? &e : NULL);
}

static int sweep_scratch(struct gc *g, struct err *e)
{
	struct gc_area a = GC_AREA_INIT;
	_free_ char *path = scratch_root_path(g->paths);
	int r = 0;

	if (!path)
		return err_oom(e);
	r = gc_area_open(&a, strdup(path), path, NULL, e);
	if (r >= 0 && a.fd >= 0) {
		gc_sweep_temporaries(g, &a);
		for (size_t i = 0; i < a.names.n; i++) {
			if (name_is_id(a.names.items[i]))
				sweep_scratch_layer(g, &a, a.names.items[i]);
		}
	}
	gc_area_close(&a);
	return r;
}

/* --- all of it ---------------------------------------------------------------------------- */

int gc_run(const struct paths *p, const struct gc_request *q, struct gc_report *ret, struct err *e)
{
	struct gc g = {.paths = p, .q = q, .report = ret};
	struct err first = ERR_INIT, *fe = &first;
	int r = 0;

	*ret = (struct gc_report){0};
	if (q->job)
		gc_end_job(&g);
	/* One area that cannot be opened must not keep the others from being swept. */
	if (sweep_instances(&g, fe) < 0)
		fe = NULL;
	if (sweep_scratch(&g, fe) < 0)
		fe = NULL;
	if (sweep_temporary_area(&g, p->data, "containers", fe) < 0)
		fe = NULL;
	if (sweep_temporary_area(&g, p->data, "volumes", fe) < 0)
		fe = NULL;
	if (sweep_temporary_area(&g, p->layers, NULL, fe) < 0)
		fe = NULL;
	if (sweep_temporary_area(&g, p->cache, "steps", fe) < 0)
		fe = NULL;
	if (gc_sweep_unpacked(&g, fe) < 0)
		fe = NULL;
	if (gc_sweep_runs(&g, fe) < 0)
		fe = NULL;
	if (gc_sweep_engine(&g, fe) < 0)
		fe = NULL;
	if (gc_sweep_containers(&g, fe) < 0)
		fe = NULL;
	if (gc_sweep_volumes(&g, fe) < 0)
		fe = NULL;
	if (gc_sweep_meta(&g, fe) < 0)
		fe = NULL;
	if (gc_sweep_servers(&g, fe) < 0)
		fe = NULL;
	if (!fe) {
		if (e)
			*e = first;
		r = -first.code;
	} else if (g.failed) {
		r = err_oom(e);
	}
	return r;
}
