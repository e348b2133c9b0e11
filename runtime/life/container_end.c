/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The supervisor is asked by its socket (exec/proto.h). A process that waits for the end
 * opens the run's lock before it asks, so that the end is seen however fast it comes and whatever
 * is removed then. A container whose lock is held though no instance is to be found is about to
 * start, or has ended and is being written down: both pass by themselves.
 */
#include "runtime/life/container_end.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_store.h"
#include "runtime/life/container_wait.h"
#include "runtime/exec/client.h"
#include "runtime/exec/proto.h"
#include "runtime/record/instance.h"
#include "runtime/kernel/process_id.h"
#include "runtime/record/run_dir.h"
#include "runtime/record/volume.h"
#include "runtime/settings/paths.h"

#define LOOK_MS 2u
#define END_MS 10000 /* for a process that was killed */
#define RECORD_MS 2000u
#define START_MS 5000u /* a start that takes longer than this is not waited for */

/* --- one instance ------------------------------------------------------------------------- */

/*
 * A bare start is its one process, which has the kernel's defaults for signals; no process owns the
 * children it leaves behind. The record's process is the one meant as long as it began when that
 * did.
 */
static int stop_bare(const struct instance_record *i, int signal, uint32_t grace_ms, bool wait,
		     struct err *e)
{
	_close_ int pidfd = (int)syscall(SYS_pidfd_open, i->init, 0);
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	int sig = signal & EXEC_STOP_SIGNAL;

	if (pidfd < 0 || !process_is(i->init, i->start_ticks) ||
	    syscall(SYS_pidfd_send_signal, pidfd, sig ? sig : SIGTERM, NULL, 0) < 0)
		return err_set(e, ESRCH, "not running");
	if (!wait || sig == SIGKILL || poll(&p, 1, (int)grace_ms) > 0)
		return wait && poll(&p, 1, END_MS) == 0 ? err_set(e, ETIMEDOUT, "it does not end")
							: 0;
	(void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	return poll(&p, 1, END_MS) > 0 ? 0 : err_set(e, ETIMEDOUT, "it does not end");
}

/*
 * The program has ended and its supervisor has hung up: the instance is gone soon, and a removal
 * that follows finds the container unused. One that copies files out may take longer.
 */
static void wait_for_the_record(const struct paths *p, const char *id)
{
	static const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
	_close_ int instances = paths_open(p->runtime, "instances", NULL);

	for (unsigned ms = 0; instances >= 0 && ms < RECORD_MS && instance_is_live(instances, id);
	     ms += LOOK_MS)
		nanosleep(&pause, NULL);
}

int instance_stop(const struct paths *p, const struct instance_record *i, int signal,
		  uint32_t grace_ms, bool wait, struct err *e)
{
	struct exec_link link = EXEC_LINK_INIT;
	int r;

	if (i->is_bare)
		return stop_bare(i, signal, grace_ms, wait, e);
	r = exec_open(p, i, &link, e);

	if (r >= 0)
		r = exec_stop(&link, signal, grace_ms, wait, e);
	exec_close(&link);
	if (r >= 0 && wait)
		wait_for_the_record(p, i->id);
	return r;
}

int instance_pause(const struct paths *p, const struct instance_record *i, bool pause,
		   struct err *e)
{
	struct exec_link link = EXEC_LINK_INIT;
	int r = exec_open(p, i, &link, e);

	if (r >= 0)
		r = exec_pause(&link, pause, e);
	exec_close(&link);
	return r;
}

/* --- a container that stays --------------------------------------------------------------- */

/*
 * With the instance's lock held its supervisor's number is its own (exec/open.c). False: none is
 * known.
 */
static bool kill_supervisor(const struct paths *p, const struct container_record *r)
{
	_close_ int pidfd = -1;
	struct instance_record i, again;

	if (instance_read(p, r->container_id, &i, NULL) < 0)
		return false;
	pidfd = (int)syscall(SYS_pidfd_open, i.supervisor, 0);
	if (pidfd >= 0 && instance_read(p, r->container_id, &again, NULL) >= 0) {
		if (again.supervisor == i.supervisor)
			(void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
		instance_record_free(&again);
	}
	instance_record_free(&i);
	return true;
}

/* A supervisor that waits to start it again has no instance to be asked by. */
static void cancel_restart(const struct paths *p, const char *name,
			   const struct container_record *r)
{
	struct run_dir d;

	if (container_run_dir(p, name, r, &d, NULL) >= 0)
		run_dir_cancel_restart(&d);
	run_dir_close(&d);
}

/* Asks the supervisor once it is there. -ESRCH: nothing runs (any more). */
static int ask(const struct paths *p, const char *name, const struct container_record *r,
	       int signal, uint32_t grace_ms, const struct container_wait *w, struct err *e)
{
	static const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
	struct instance_record i;
	int rc;

	for (unsigned ms = 0; ms < START_MS; ms += LOOK_MS) {
		rc = instance_read(p, r->container_id, &i, e);
		if (rc >= 0) {
			rc = instance_stop(p, &i, signal, grace_ms, false, e);
			instance_record_free(&i);
		} else if (rc == -ENOENT) {
			rc = -ESRCH;
		}
		if (rc != -ESRCH || !container_wait_goes_on(w))
			return rc;
		cancel_restart(p, name, r);
		nanosleep(&pause, NULL);
	}
	return err_set(e, ETIMEDOUT,
		       "it is about to start, and does not, or it was started with another runtime "
		       "directory (XDG_RUNTIME_DIR) than %s",
		       p->runtime);
}

int container_stop(const struct paths *p, const char *name, const struct container_record *r,
		   const struct container_stop *how, struct container_state *ret, struct err *e)
{
	struct container_wait w = CONTAINER_WAIT_INIT;
	uint32_t grace_ms = how->has_grace ? how->grace_ms : CONTAINER_STOP_MS;
	int sig = how->signal, rc;

	if (!grace_ms)
		sig = SIGKILL;
	if (!how->has_grace)
		sig |= EXEC_STOP_OWN_TIME;
	if (how->stays)
		sig |= EXEC_STOP_STAYS;
	rc = container_wait_begin(p, name, r, &w, e);
	if (rc >= 0 && container_wait_goes_on(&w))
		rc = ask(p, name, r, sig, grace_ms, &w, e);
	/* Also where it has ended by itself: the state was read before that. */
	if (rc >= 0 || rc == -ESRCH)
		rc = container_wait_end(&w, e);
	if (rc >= 0)
		*ret = w.state;
	container_wait_close(&w);
	return rc;
}

int container_kill(const struct paths *p, const char *name, const struct container_record *r,
		   int signal, struct err *e)
{
	struct container_wait w = CONTAINER_WAIT_INIT;
	int rc = container_wait_begin(p, name, r, &w, e);

	if (rc >= 0 && !container_wait_goes_on(&w))
		rc = err_set(e, ESRCH, "not running");
	if (rc >= 0)
		rc = ask(p, name, r, signal, 0, &w, e);
	if (rc >= 0 && signal == SIGKILL)
		rc = container_wait_end(&w, e);
	container_wait_close(&w);
	return rc;
}

int container_pause(const struct paths *p, const struct container_record *r, bool pause,
		    struct err *e)
{
	struct instance_record i;
	int rc = instance_read(p, r->container_id, &i, e);

	if (rc == -ENOENT)
		return err_set(e, ESRCH, "not running");
	if (rc >= 0) {
		rc = instance_pause(p, &i, pause, e);
		instance_record_free(&i);
	}
	return rc;
}

/* --- removal ------------------------------------------------------------------------------ */

static int end_by_force(const struct paths *p, const char *name, const struct container_record *r,
			bool *ret_has_run, struct err *e)
{
	struct container_wait w = CONTAINER_WAIT_INIT;
	int rc = container_wait_begin(p, name, r, &w, e);

	if (rc >= 0 && container_wait_goes_on(&w)) {
		*ret_has_run = true;
		rc = ask(p, name, r, SIGKILL | EXEC_STOP_REMOVE, 0, &w, e);
		if ((rc == -ETIMEDOUT || rc == -EBUSY) && kill_supervisor(p, r))
			rc = 0;
		if (rc >= 0 || rc == -ESRCH)
			rc = container_wait_end(&w, e);
	}
	container_wait_close(&w);
	return rc;
}

/* Every instance of a recipe. */
static int end_instances(const struct paths *p, const char *name, struct err *e)
{
	struct instance_list l;
	int r = instance_list(p, name, &l, e);

	for (size_t i = 0; r >= 0 && i < l.n; i++) {
		r = instance_stop(p, &l.items[i], SIGKILL, 0, true, e);
		if (r == -ESRCH)
			r = 0;
	}
	instance_list_free(&l);
	return r;
}

#define REMOVE_PAUSE_MAX_MS 2000

int container_remove_soon(const struct paths *p, const char *name, const struct container_record *r,
			  bool force, struct container_debris *later, struct err *e)
{
	bool has_run = false;
	int rc = 0;

	for (long pause_ms = 0; pause_ms < REMOVE_PAUSE_MAX_MS; pause_ms = 2 * pause_ms + 1) {
		const struct timespec pause = {.tv_sec = pause_ms / 1000,
					       .tv_nsec = pause_ms % 1000 * 1000000};

		if (pause_ms)
			(void)nanosleep(&pause, NULL);
		if (force)
			rc = r->spec ? end_by_force(p, name, r, &has_run, e)
				     : end_instances(p, name, e);
		if (rc >= 0)
			rc = container_store_remove_soon(p, name, later, e);
		/* Its supervisor has removed it. */
		if (rc == -ENOENT && has_run)
			return 0;
		/* A process has started it again between the two, or its supervisor is about to end. */
		if (rc != -EBUSY || !force)
			return rc;
	}
	return rc;
}

int container_remove(const struct paths *p, const char *name, const struct container_record *r,
		     bool force, struct err *e)
{
	return container_remove_soon(p, name, r, force, NULL, e);
}

int container_remove_left(const struct paths *p, const char *name, const struct container_record *r,
			  struct err *e)
{
	int rc;

	volume_begin_removal_of(p, r);
	rc = container_remove(p, name, r, false, e);
	if (rc < 0)
		return rc;
	/* A killed supervisor left this too. */
	instance_remove_left(p, r->container_id);
	return volume_remove_of(p, r, e);
}
