/* SPDX-License-Identifier: Apache-2.0 */

/*
 * --network container:X: two containers on one network. Containers are on the host's network, so
 * both being there is the same; a network that is one container's alone, none, has no door for a
 * second one.
 */

#include <stdlib.h>

#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/notes.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_start.h"
#include "runtime/life/container_state.h"
#include "runtime/spec/flat.h"

#define CONTAINER_MODE "container:"

static const char *other_of(const char *mode)
{
	return mode && str_has_prefix(mode, CONTAINER_MODE) ? mode + strlen(CONTAINER_MODE) : NULL;
}

int docker_network_join_check(const struct docker_run_args *a, struct docker_fault *f)
{
	const char *other = other_of(a->network), *what = NULL;

	if (!other)
		return 0;
	if (!*other)
		return docker_refuse(
			f, "Invalid network mode: invalid container format container:<name|id>");
	if (a->links.n)
		return docker_refuse(f, "conflicting options: container type network can't be used "
					"with links. This would result in undefined behavior");
	if (a->hostname && *a->hostname)
		what = "hostname and the network mode";
	else if (a->dns.n)
		what = "dns and the network mode";
	else if (a->add_hosts.n)
		what = "custom host-to-IP mapping and the network mode";
	else if (a->publish.n)
		what = "port publishing and the container type network mode";
	else if (a->expose.n)
		what = "port exposing and the container type network mode";
	return what ? docker_refuse(f, "conflicting options: %s", what) : 0;
}

void docker_network_join_note(const struct paths *p, const struct docker_run_args *a,
			      struct strv *notes)
{
	const char *other = other_of(a->network);
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *note = NULL;
	struct docker_target t;

	if (!other || docker_target_open(p, other, &t, &f) < 0)
		return;
	note = t.stays ? str_printf("network=" CONTAINER_MODE "%s", docker_target_id(&t)) : NULL;
	if (note)
		strv_set_env(notes, note);
	docker_target_close(&t);
}

static int join(const struct paths *p, const struct docker_target *t, struct container_start *s,
		struct docker_fault *f)
{
	const struct container_record *rec = &t->found.record;
	struct container_state state = {0};
	struct container_spec other;
	int r;

	if (str_eq(rec->container_id, s->found.record.container_id))
		return docker_refuse(f, "cannot join own network");
	r = container_state_read(p, t->found.name, rec, &state, &f->err);
	if (r >= 0 && !container_is_active(state.status))
		return docker_fault(f, DOCKER_CONFLICT, ESRCH,
				    "cannot join network of a non running container: %s",
				    docker_target_id(t));
	spec_init(&other);
	if (r >= 0)
		r = spec_flat_read(&other, rec->spec, rec->spec_len, &f->err);
	if (r >= 0 && other.ns.net != NET_HOST)
		r = docker_refuse(f,
				  "container %s has a network of its own (none), which no other "
				  "can join in csbx",
				  docker_target_id(t));
	if (r >= 0 && other.ns.hostname) {
		free(s->spec.ns.hostname);
		s->spec.ns.hostname = strdup(other.ns.hostname);
		r = s->spec.ns.hostname ? 0 : err_oom(&f->err);
	}
	spec_free(&other);
	return r < 0 ? r : 0;
}

int docker_network_join(const struct paths *p, struct container_start *s, struct docker_fault *f)
{
	const char *other = other_of(notes_get(&s->found.record.notes, "network", 0));
	struct docker_target t;
	int r;

	if (!other)
		return 0;
	r = docker_target_open(p, other, &t, f);
	if (r >= 0)
		r = t.stays ? join(p, &t, s, f) : docker_target_missing(other, f);
	docker_target_close(&t);
	return r;
}
