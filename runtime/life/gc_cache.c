/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/life/gc_priv.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/settings/paths.h"
#include "runtime/life/unpacked_prune.h"
#include "runtime/server/unpacked.h"

#define LOCK_SUFFIX ".lock"
#define META_AGE_S (30 * 24 * 3600)

/* Files of a directory below the cache that were not written, or asked for, for that long. */
static int sweep_old_files(struct gc *g, const char *sub, struct err *e)
{
	time_t oldest = time(NULL) - META_AGE_S;
	struct gc_area a;
	struct stat st;
	int r = gc_area_open(&a, str_printf("%s/%s", g->paths->cache, sub), g->paths->cache, sub,
			     e);

	if (r >= 0 && a.fd >= 0)
		gc_sweep_temporaries(g, &a);
	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		if (a.names.items[i][0] != '.' &&
		    !fstatat(a.fd, a.names.items[i], &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode) && st.st_mtim.tv_sec < oldest)
			gc_remove_file(g, GC_CACHE, &a, a.names.items[i]);
	}
	gc_area_close(&a);
	return r;
}

int gc_sweep_meta(struct gc *g, struct err *e)
{
	int r = sweep_old_files(g, "meta", e);

	return r < 0 ? r : sweep_old_files(g, "importer", e);
}

static void sweep_tree(struct gc *g, const struct gc_area *a, const char *key)
{
	_close_ int lock = -1;
	struct err e = ERR_INIT;

	if (!unpacked_is_stale(a->fd, key, &lock))
		return;
	if (!g->q->dry_run)
		(void)unpacked_remove(a->fd, key, &e);
	gc_note(g, GC_CACHE, a, key, e.code ? &e : NULL);
}

/* A lock without a tree: an unpacking failed or was killed. */
static void sweep_lock(struct gc *g, const struct gc_area *a, const char *name)
{
	_free_ char *key = strndup(name, strlen(name) - strlen(LOCK_SUFFIX));
	_close_ int lock = -1;

	if (key && unpacked_is_key(key) && faccessat(a->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
	    faccessat(a->fd, key, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    unpacked_is_stale(a->fd, key, &lock))
		gc_remove_file(g, GC_CACHE, a, name);
}

int gc_sweep_unpacked(struct gc *g, struct err *e)
{
	struct gc_area a;
	int r = gc_area_open(&a, str_printf("%s/unpacked", g->paths->cache), g->paths->cache,
			     "unpacked", e);

	if (r >= 0 && a.fd >= 0)
		gc_sweep_temporaries(g, &a);
	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		if (unpacked_is_key(a.names.items[i]))
			sweep_tree(g, &a, a.names.items[i]);
		else if (str_has_suffix(a.names.items[i], LOCK_SUFFIX))
			sweep_lock(g, &a, a.names.items[i]);
	}
	gc_area_close(&a);
	return r;
}
