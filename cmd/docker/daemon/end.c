/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/end.h"

#include <signal.h>
#include <stdio.h>

#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/show/events.h"
#include "cmd/docker/daemon/run_mounts.h"
#include "cmd/docker/daemon/start.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/names.h"
#include "cmd/options/signal_name.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_end.h"
#include "runtime/record/container_store.h"
#include "runtime/record/volume.h"
#include "runtime/spec/flat.h"
#include "runtime/spec/spec.h"

static int parse_signal(const char *text, int *ret, struct docker_fault *f)
{
	if (text && *text && signal_parse(text, ret, NULL) < 0)
		return docker_refuse(f, "invalid signal: %s", text);
	return 0;
}

static bool runs(const struct paths *p, const struct docker_target *t)
{
	struct container_state s = {0};

	return container_state_read(p, t->found.name, &t->found.record, &s, NULL) < 0 ||
	       container_is_active(s.status);
}

/* The signal that a stop sends: the one asked for, else the container's own. */
static int stop_signal(const struct docker_target *t, int asked)
{
	struct container_spec s;
	int signal = SIGTERM;

	if (asked)
		return asked;
	spec_init(&s);
	if (t->found.record.spec &&
	    spec_flat_read(&s, t->found.record.spec, t->found.record.spec_len, NULL) >= 0 &&
	    s.proc.stop_signal)
		signal = s.proc.stop_signal;
	spec_free(&s);
	return signal;
}

static void note_signal(const struct paths *p, const struct docker_target *t, int signal)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", signal);
	docker_event_target(p, t, "kill", "signal", number);
}

static int end(const struct paths *p, const struct docker_target *t, const struct docker_stop *how,
	       bool again, struct docker_fault *f)
{
	struct container_stop stop = {.has_grace = how->has_grace, .stays = again};
	struct container_state state;
	int r = parse_signal(how->signal, &stop.signal, f);

	if (stop.has_grace)
		stop.grace_ms = how->grace_s < 0 || how->grace_s > UINT32_MAX / 1000
					? UINT32_MAX / 2
					: (uint32_t)how->grace_s * 1000u;
	if (r < 0)
		return r;
	if (t->stays && runs(p, t))
		note_signal(p, t, stop_signal(t, stop.signal));
	if (t->stays)
		return container_stop(p, t->found.name, &t->found.record, &stop, &state, &f->err);
	if (!t->has_instance)
		return 0;
	return instance_stop(p, &t->instance, stop.signal ? stop.signal : SIGTERM,
			     stop.has_grace ? stop.grace_ms : CONTAINER_STOP_MS, true, &f->err);
}

int docker_stop(const struct paths *p, const struct docker_target *t, const struct docker_stop *how,
		struct docker_fault *f)
{
	bool ran = t->stays ? runs(p, t) : t->has_instance;
	int r = end(p, t, how, false, f);

	if (r >= 0 && ran)
		docker_event_target(p, t, "stop", NULL, NULL);
	return r < 0 ? r : !ran;
}

int docker_restart(const struct paths *p, struct docker_target *t, const char *operand,
		   const struct docker_stop *how, const struct container_start_how *start,
		   struct docker_fault *f)
{
	struct docker_start s = {0};
	int r;

	if (!t->stays)
		return docker_refuse(f,
				     "Cannot restart container %s: it was started by csbx start, "
				     "which has to start it again",
				     operand);
	r = end(p, t, how, true, f);
	if (r < 0)
		return r;
	docker_event_target(p, t, "stop", NULL, NULL);
	r = docker_start_begin(p, &t->found, &s, f);
	if (r >= 0)
		r = docker_start_go(&s, start, f);
	if (r >= 0)
		docker_event_of(p, s.start.found.name, &s.start.found.record, "restart", NULL,
				NULL);
	docker_start_close(&s);
	/* A caller that loses the race for the start finds it started. */
	if (r >= 0 || r == -EBUSY)
		return 0;
	return err_wrap(&f->err, "Cannot restart container %s", operand);
}

int docker_kill(const struct paths *p, const struct docker_target *t, const char *operand,
		const char *signal, struct docker_fault *f)
{
	int number = SIGKILL, r = parse_signal(signal, &number, f);

	/* Before the death it brings. */
	if (r >= 0 && t->stays && runs(p, t))
		note_signal(p, t, number);
	if (r >= 0 && t->stays)
		r = container_kill(p, t->found.name, &t->found.record, number, &f->err);
	else if (r >= 0 && t->has_instance)
		r = instance_stop(p, &t->instance, number, 0, number == SIGKILL, &f->err);
	else if (r >= 0)
		r = -ESRCH;
	if (r == -ESRCH)
		docker_target_not_running(t, f);
	return r < 0 ? err_wrap(&f->err, "cannot kill container: %s", operand) : 0;
}

int docker_pause(const struct paths *p, const struct docker_target *t, bool pause,
		 struct docker_fault *f)
{
	int r = t->stays          ? container_pause(p, &t->found.record, pause, &f->err)
		: t->has_instance ? instance_pause(p, &t->instance, pause, &f->err)
				  : -ESRCH;

	if (r == -ESRCH && pause)
		return docker_target_not_running(t, f);
	/* A container that does not run is not paused. */
	if (r == -EALREADY || r == -ESRCH)
		return docker_fault(f, DOCKER_CONFLICT, -r, "container %s is %s paused",
				    docker_target_id(t), pause ? "already" : "not");
	if (r >= 0)
		docker_event_target(p, t, pause ? "pause" : "unpause", NULL, NULL);
	return r;
}

/* --- rename ------------------------------------------------------------------------------- */

static int taken(const struct paths *p, const char *name, struct docker_fault *f)
{
	struct container_found other;

	if (container_find(p, name, &other, NULL) < 0)
		return docker_fault(f, DOCKER_CONFLICT, EEXIST,
				    "Error when allocating new name: Conflict. The container name "
				    "\"/%s\" is already in use.",
				    name);
	docker_fault(f, DOCKER_CONFLICT, EEXIST,
		     "Error when allocating new name: Conflict. The container name \"/%s\" is "
		     "already in use by container \"%s\". You have to remove (or rename) that "
		     "container to be able to reuse that name.",
		     name, other.record.container_id ? other.record.container_id : "");
	container_record_free(&other.record);
	return -EEXIST;
}

static int rename_target(const struct paths *p, const struct docker_target *t, const char *name,
			 struct docker_fault *f)
{
	int r;

	if (!docker_name_is_valid(name))
		return docker_refuse(f,
				     "Error when allocating new name: Invalid container name (%s), "
				     "only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
				     name);
	name += *name == '/';
	if (str_eq(t->found.name, name))
		return docker_refuse(f,
				     "Renaming a container with the same name as its current name");
	r = container_store_rename(p, t->found.name, name, &f->err);
	if (r >= 0 && docker_endpoints_has(p, name))
		docker_endpoints_refresh(p);
	if (r >= 0) {
		_free_ char *old = str_printf("/%s", t->found.name);

		docker_event_of(p, name, &t->found.record, "rename", "oldName", old);
	}
	return r == -EEXIST ? taken(p, name, f) : r;
}

int docker_rename(const struct paths *p, const char *operand, const char *name,
		  struct docker_fault *f)
{
	struct docker_target t;
	int r = docker_target_open(p, operand, &t, f);

	if (r >= 0)
		r = rename_target(p, &t, name, f);
	docker_target_close(&t);
	return r;
}

/* --- remove ------------------------------------------------------------------------------- */

static int busy(const struct paths *p, const struct docker_target *t, struct docker_fault *f)
{
	struct container_state state = {0};

	(void)container_state_read(p, t->found.name, &t->found.record, &state, NULL);
	if (state.status == CONTAINER_PAUSED)
		return docker_fault(f, DOCKER_CONFLICT, EBUSY,
				    "cannot remove container \"/%s\": container is paused and must "
				    "be unpaused first",
				    t->found.name);
	if (state.status == CONTAINER_RESTARTING)
		return docker_fault(
			f, DOCKER_CONFLICT, EBUSY,
			"cannot remove container \"/%s\": container is restarting: stop "
			"the container before removing or force remove",
			t->found.name);
	return docker_fault(f, DOCKER_CONFLICT, EBUSY,
			    "cannot remove container \"/%s\": container is running: stop the "
			    "container before removing or force remove",
			    t->found.name);
}

static int remove_volumes(const struct paths *p, const struct container_record *rec,
			  struct docker_fault *f)
{
	struct container_spec spec;
	int r = volume_remove_of(p, rec, &f->err);

	spec_init(&spec);
	if (rec->spec && spec_flat_read(&spec, rec->spec, rec->spec_len, NULL) >= 0)
		docker_volumes_note_gone(p, &spec);
	spec_free(&spec);
	return r;
}

static int remove_target(const struct paths *p, const struct docker_target *t, const char *operand,
			 const struct docker_removal *how, struct docker_fault *f)
{
	bool is_member = *t->found.name && docker_endpoints_has(p, t->found.name);
	bool ran, gone;
	int r;

	if (!*t->found.name)
		return docker_fault(f, DOCKER_CONFLICT, EBUSY,
				    "cannot remove container \"%s\": it is a start of an image, "
				    "which goes when it ends",
				    docker_target_id(t));
	/* The supervisor of one that runs says that it was killed, and that it is gone. */
	ran = t->stays && runs(p, t);
	if (ran && how->force)
		note_signal(p, t, SIGKILL);
	if (how->volumes)
		volume_begin_removal_of(p, &t->found.record);
	r = container_remove_soon(p, t->found.name, &t->found.record, how->force, how->later,
				  &f->err);
	if (r < 0 && how->volumes)
		volume_keep_of(p, &t->found.record);
	gone = r >= 0;
	if (gone && how->volumes)
		r = remove_volumes(p, &t->found.record, f);
	if (gone && !ran)
		docker_event_target(p, t, "destroy", NULL, NULL);
	if (r >= 0 && is_member)
		docker_endpoints_refresh(p);
	if (r == -EBUSY && !how->force)
		return busy(p, t, f);
	return r < 0 && f->err.origin == ERR_NO_CONTAINER ? docker_target_missing(operand, f) : r;
}

int docker_remove(const struct paths *p, const char *operand, const struct docker_removal *how,
		  struct docker_fault *f)
{
	struct docker_target t;
	int r = docker_target_open(p, operand, &t, f);

	/* ps shows it as dead. */
	if (r == -EBADMSG || r == -EPROTO)
		r = container_store_remove(p, operand + (*operand == '/'), &f->err);
	else if (r >= 0)
		r = remove_target(p, &t, operand, how, f);
	docker_target_close(&t);
	return r;
}
