/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/start.h"

#include <stdio.h>

#include "cmd/docker/show/events.h"
#include "cmd/docker/daemon/health_watch.h"
#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/daemon/restart.h"
#include "cmd/docker/frame/ports.h"
#include "cmd/docker/daemon/run_mounts.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_state.h"
#include "runtime/spec/result.h"
#include "runtime/spec/spec.h"

#define DOCKER_EXIT_UNCONNECTED 128 /* in State of one that has got no network */

int docker_start_begin(const struct paths *p, struct container_found *found,
		       struct docker_start *ret, struct docker_fault *f)
{
	int r;

	*ret = (struct docker_start){0};
	r = container_start_begin(p, found, false, &ret->start, &f->err);
	if (r < 0)
		return r;
	r = docker_network_join(p, &ret->start, f);
	if (r >= 0)
		r = docker_ports_claim(&ret->start, f);
	ret->is_open = r >= 0;
	if (r < 0) {
		container_start_failed(&ret->start, DOCKER_EXIT_UNCONNECTED, f->err.msg);
		container_start_close(&ret->start);
	}
	return r;
}

/* The words of a start that came to nothing; failed: the code of container_start_run(). */
static int explain(const struct process_spec *p, int failed, struct docker_fault *f)
{
	_free_ char *text = NULL;
	int code = f->err.code ? f->err.code : EIO;

	if (p->argv.n && (failed == CMD_EXIT_NOT_FOUND || failed == CMD_EXIT_NOT_EXECUTABLE)) {
		text = docker_launch_text(DOCKER_CREATE_FAILED, p->argv.items[0], failed, &f->err);
		docker_fault(f, DOCKER_BAD_REQUEST, code, "%s", text ? text : "out of memory");
	} else if (f->err.code == ENOTDIR && f->err.origin == ERR_WORKDIR) {
		docker_fault(f, DOCKER_BAD_REQUEST, code, "Cannot mkdir: %s is not a directory",
			     p->cwd);
	}
	f->exit_code = failed;
	return -code;
}

static void note_volume(const struct container_start *s, const struct mount_spec *m, bool begins)
{
	_strv_ struct strv more = STRV_INIT;

	strv_take(&more, str_printf("container=%s", s->found.record.container_id));
	strv_add(&more, "driver=local");
	if (begins) {
		strv_take(&more, str_printf("destination=%s", m->target));
		strv_add(&more, "propagation=");
		strv_take(&more, str_printf("read/write=%s", m->readonly ? "false" : "true"));
	}
	if (!more.failed)
		docker_event(s->paths, "volume", begins ? "mount" : "unmount", m->volume, &more);
}

/* Of the networks and volumes that a start takes, and an end gives back. */
static void note_taken(const struct container_start *s, const char *name, bool begins)
{
	docker_network_note(s->paths, s, name, begins ? "connect" : "disconnect");
	for (size_t i = 0; i < s->spec.n_mounts; i++) {
		if (s->spec.mounts[i].volume)
			note_volume(s, &s->spec.mounts[i], begins);
	}
}

/* A start that came to nothing is no end of a program. */
static void note_end(const struct container_start *s, const struct run_result *result)
{
	const struct container_record *record = &s->found.record;
	struct container_found now;
	int r = container_find_again(s->paths, s->found.name, record->container_id, &now, NULL);
	const char *name = r < 0 ? s->found.name : now.name;
	char code[16];

	snprintf(code, sizeof(code), "%d", run_exit_code(result));
	if (result->oom_killed)
		docker_event_of(s->paths, name, record, "oom", NULL, NULL);
	if (result->status != RUN_LAUNCH_ERROR)
		docker_event_of(s->paths, name, record, "die", "exitCode", code);
	else
		note_taken(s, s->found.name, true);
	note_taken(s, name, false);
	if (r >= 0)
		container_record_free(&now.record);
}

/* In the supervisor. */
static void note_moment(const struct container_start *s, enum container_moment moment,
			const struct run_result *result)
{
	switch (moment) {
	case CONTAINER_STARTED:
		note_taken(s, s->found.name, true);
		docker_event_of(s->paths, s->found.name, &s->found.record, "start", NULL, NULL);
		/* For the first start the process that asked for it sees to that. */
		if (s->run.restarts)
			docker_health_begin(s->paths, s->found.name, &s->found.record);
		break;
	case CONTAINER_ENDED:
		note_end(s, result);
		break;
	case CONTAINER_REMOVED:
		docker_volumes_note_gone(s->paths, &s->spec);
		docker_event_of(s->paths, s->found.name, &s->found.record, "destroy", NULL, NULL);
		break;
	}
}

int docker_start_go(struct docker_start *s, const struct container_start_how *how,
		    struct docker_fault *f)
{
	static const struct container_start_how detached = {
		.started_fd = -1, .client_sock = -1, .client_fds = {-1, -1, -1}};
	struct container_start_how with_events = how ? *how : detached;
	int failed = CMD_EXIT_FAILED;

	with_events.moment = note_moment;
	with_events.again = docker_restart_is_due;
	with_events.has_policy = docker_restart_is_wanted(&s->start.found.record);
	if (container_start_detached(&s->start, &with_events, &failed, &f->err) >= 0) {
		docker_health_begin(s->start.paths, s->start.found.name, &s->start.found.record);
		return 0;
	}
	return explain(&s->start.spec.proc, failed, f);
}

void docker_start_close(struct docker_start *s)
{
	if (s->is_open)
		container_start_close(&s->start);
	s->is_open = false;
}

static bool is_running(const struct paths *p, const struct docker_target *t)
{
	struct container_state s = {0};

	return container_state_read(p, t->found.name, &t->found.record, &s, NULL) >= 0 &&
	       container_is_active(s.status);
}

int docker_start(const struct paths *p, struct docker_target *t,
		 const struct container_start_how *how, struct docker_fault *f)
{
	struct docker_start s = {0};
	int r;

	if (t->has_instance || (t->stays && is_running(p, t)))
		return 1;
	if (!t->stays)
		return docker_refuse(f, "%s is a recipe of csbx: csbx start starts it",
				     t->found.name);
	r = docker_start_begin(p, &t->found, &s, f);
	if (r >= 0)
		r = docker_start_go(&s, how, f);
	docker_start_close(&s);
	/* A caller that loses the race for the start finds it running. */
	return r == -EBUSY ? 1 : r;
}
