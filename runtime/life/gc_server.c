/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/life/gc_priv.h"

#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/settings/paths.h"
#include "runtime/life/server_kill.h"
#include "runtime/server/client.h"
#include "runtime/server/start.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/start/lane_loan.h"
#include "runtime/start/spare_place.h"

/* It left, or is leaving, by itself between two looks. */
static bool is_gone(int r)
{
	return r == -ENOENT || r == -ECONNREFUSED || r == -EPIPE;
}

static void sweep_server(struct gc *g, const struct gc_area *a, const char *name, bool locked)
{
	struct squashd_reply reply;
	struct err e = ERR_INIT;
	int r = squashd_ask(a->fd, name, SQUASHD_STATUS, &reply, &e);

	if (r == -ECONNREFUSED && locked) {
		gc_remove_file(g, GC_SOCKET, a, name);
	} else if (r >= 0 && g->q->servers && !reply.containers) {
		if (!g->q->dry_run)
			r = squashd_ask(a->fd, name, SQUASHD_QUIT, &reply, &e);
		if (!is_gone(r))
			gc_note(g, GC_SERVER, a, name, r < 0 ? &e : NULL);
	} else if (r == -ETIMEDOUT && g->q->servers) {
		if (!g->q->dry_run)
			r = server_kill_stopped(g->paths, a->fd, name, &e);
		if (g->q->dry_run || !is_gone(r))
			gc_note(g, GC_SERVER, a, name, g->q->dry_run || r >= 0 ? NULL : &e);
		if (!g->q->dry_run && r >= 0 && locked)
			(void)unlinkat(a->fd, name, 0);
	}
}

static void sweep_spares(const struct gc *g)
{
	_free_ char *path = str_printf("%s/spares", g->paths->runtime);
	_close_ int fd = path ? open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

	if (fd >= 0 && !g->q->dry_run)
		(void)spare_place_sweep(fd);
	if (!g->q->dry_run)
		lane_loan_sweep(g->paths, g->q->servers);
}

int gc_sweep_servers(struct gc *g, struct err *e)
{
	struct gc_area a;
	_close_ int lock = -1;
	int r = gc_area_open(&a, str_printf("%s/servers", g->paths->runtime), g->paths->runtime,
			     "servers", e);

	sweep_spares(g);
	if (r < 0 || a.fd < 0) {
		gc_area_close(&a);
		return r;
	}
	/* While a server is being started its socket refuses connections too. */
	lock = squashd_lock(a.fd, NULL);
	for (size_t i = 0; i < a.names.n; i++) {
		const char *name = a.names.items[i];

		if (str_has_suffix(name, ".sock"))
			sweep_server(g, &a, name, lock >= 0);
		else if (temp_is_name(name) && lock >= 0)
			gc_remove_file(g, GC_TEMPORARY, &a, name);
	}
	gc_area_close(&a);
	return 0;
}
