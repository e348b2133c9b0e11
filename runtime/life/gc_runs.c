/* SPDX-License-Identifier: Apache-2.0 */
/* Logs and results of detached starts: those that ended long ago, and those that never began. */
#include <time.h>

#include "runtime/base/err.h"
#include "runtime/life/gc_priv.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/record/run_dir.h"

static bool is_debris(const struct run_dir *d)
{
	const uint64_t second = 1000000000u;
	struct run_state s = {0};
	uint64_t last_s, now_s = (uint64_t)time(NULL);

	if (run_dir_is_live(d))
		return false;
	if (run_dir_state(d, &s, NULL) < 0)
		return true;
	last_s = (s.ended_ns ? s.ended_ns : s.started_ns) / second;
	run_state_free(&s);
	return now_s > last_s && now_s - last_s > RUN_DIR_KEEP_S;
}

static void sweep(struct gc *g, const struct gc_area *a, const char *id)
{
	struct err e = ERR_INIT;
	struct run_dir d;

	if (run_dir_open(a->fd, id, &d) < 0)
		return;
	if (is_debris(&d)) {
		if (!g->q->dry_run)
			(void)run_dir_remove(a->fd, &d, &e);
		gc_note(g, GC_RUN, a, id, e.code ? &e : NULL);
	}
	run_dir_close(&d);
}

int gc_sweep_runs(struct gc *g, struct err *e)
{
	struct gc_area a;
	int r = gc_area_open(&a, str_printf("%s/runs", g->paths->data), g->paths->data, "runs", e);

	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		if (name_is_id(a.names.items[i]))
			sweep(g, &a, a.names.items[i]);
	}
	gc_area_close(&a);
	return r;
}
