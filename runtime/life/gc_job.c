/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leftovers of a batch job that still run: containers whose supervisor the batch system lost (no
 * control group leads to it, its keeper was killed while it hung), and image servers inside their
 * linger. Told by the job's id in their own records, so a job that runs beside it is never touched.
 * A job that is over needs no grace: supervisors are killed, and pid 1 and all below follow by the
 * kernel.
 */
#include "runtime/life/gc_priv.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/instance.h"
#include "runtime/settings/paths.h"
#include "runtime/server/client.h"

#define DEATH_MS 5000
#define SERVER_MS 2000u
#define SERVER_LOOK_NS 5000000

static bool is_of(const struct gc *g, const char *job)
{
	return job && str_eq(job, g->q->job);
}

static void wait_for(int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	if (pidfd >= 0)
		(void)poll(&p, 1, DEATH_MS);
}

/* While the instance is live its numbers are its own: looked at again with the pidfds in hand. */
static int kill_instance(struct gc *g, const struct instance_record *i, struct err *e)
{
	_close_ int supervisor = (int)syscall(SYS_pidfd_open, i->supervisor, 0);
	_close_ int init = i->init > 0 ? (int)syscall(SYS_pidfd_open, i->init, 0) : -1;
	struct instance_record again;
	bool is_same;

	if (supervisor < 0 || instance_read(g->paths, i->id, &again, NULL) < 0)
		return 0;
	is_same = again.supervisor == i->supervisor && again.init == i->init;
	instance_record_free(&again);
	if (!is_same)
		return 0;
	if (syscall(SYS_pidfd_send_signal, supervisor, SIGKILL, NULL, 0) < 0 && errno != ESRCH)
		return err_sys(e, "kill process %d", (int)i->supervisor);
	wait_for(supervisor);
	wait_for(init);
	return 0;
}

static void end_instances(struct gc *g)
{
	struct instance_list list = {0};
	struct err e = ERR_INIT;

	if (instance_list_only(g->paths, &list, &e) < 0)
		return; /* there is no directory: nothing runs */
	for (size_t i = 0; i < list.n; i++) {
		struct err failed = ERR_INIT;

		if (!is_of(g, list.items[i].job))
			continue;
		if (!g->q->dry_run)
			(void)kill_instance(g, &list.items[i], &failed);
		g->failed |= !gc_report_add(g->report, GC_JOB, str_printf("%s", list.items[i].id),
					    failed.code ? failed.msg : NULL);
	}
	instance_list_free(&list);
}

/* It learns that its containers are gone when their connections close, a moment later. */
static int quit_server(struct gc *g, const struct gc_area *a, const char *name, struct err *e)
{
	static const struct timespec pause = {.tv_nsec = SERVER_LOOK_NS};
	uint64_t give_up_ms = clock_monotonic_ms() + SERVER_MS;
	struct squashd_reply reply;
	int r = squashd_ask(a->fd, name, SQUASHD_STATUS, &reply, NULL);

	if (r < 0 || !memchr(reply.job, 0, sizeof(reply.job)) || !is_of(g, reply.job))
		return 0;
	if (g->q->dry_run) {
		gc_note(g, GC_SERVER, a, name, NULL);
		return 0;
	}
	while (r >= 0 && reply.containers && clock_monotonic_ms() < give_up_ms) {
		nanosleep(&pause, NULL);
		r = squashd_ask(a->fd, name, SQUASHD_STATUS, &reply, NULL);
	}
	if (r >= 0 && reply.containers)
		return err_set(e, EBUSY, "%u containers of the job do not end", reply.containers);
	if (r >= 0)
		(void)squashd_ask(a->fd, name, SQUASHD_QUIT, &reply, NULL);
	gc_note(g, GC_SERVER, a, name, NULL);
	return 0;
}

void gc_end_job(struct gc *g)
{
	struct gc_area a;
	int r;

	end_instances(g);
	r = gc_area_open(&a, str_printf("%s/servers", g->paths->runtime), g->paths->runtime,
			 "servers", NULL);
	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		struct err e = ERR_INIT;

		if (str_has_suffix(a.names.items[i], ".sock") &&
		    quit_server(g, &a, a.names.items[i], &e) < 0)
			gc_note(g, GC_SERVER, &a, a.names.items[i], &e);
	}
	gc_area_close(&a);
}
