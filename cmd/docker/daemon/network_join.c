/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The networks of a container at its start and its end, told as events. --network container:X: two
 * containers on one network. Containers are on the host's network, so
 * both being there is the same; a network that is one container's alone, none, has no door for a
 * second one.
 */

#include <stdlib.h>

#include "cmd/docker/daemon/network.h"
#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/notes.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_start.h"
#include "runtime/life/container_state.h"
#include "runtime/record/container_store.h"
#include "runtime/record/endpoints.h"
#include "runtime/record/network.h"
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

/* --- events of a start and an end ------------------------------------------------------------ */

static void note_builtin(const struct paths *p, const struct container_start *s, const char *name,
			 const char *action)
{
	const struct docker_network *n =
		docker_network_builtin(name ? (str_eq(name, "default") ? "bridge" : name)
					    : (s->spec.ns.net == NET_HOST ? "host" : "none"));

	if (n)
		docker_network_event(p, action, &n->record, s->found.record.container_id);
}

static void note_endpoint(const struct paths *p, const struct container_start *s,
			  const struct endpoint *x, const char *action)
{
	_network_ struct network_record found = {0};
	struct docker_fault f = DOCKER_FAULT_INIT;

	if (!*x->network_id)
		note_builtin(p, s, x->network, action);
	else if (docker_network_find(p, x->network_id, &found, &f) >= 0)
		docker_network_event(p, action, &found, s->found.record.container_id);
}

void docker_network_note(const struct paths *p, const struct container_start *s, const char *name,
			 const char *action)
{
	const char *asked = notes_get(&s->found.record.notes, "network", 0);
	_close_ int dirfd = container_store_open_dir(p, NULL);
	_endpoints_ struct endpoints x = {0};

	if (other_of(asked))
		return;
	if (dirfd < 0 || endpoints_read(dirfd, name, &x, NULL) <= 0)
		note_builtin(p, s, asked && *asked ? asked : NULL, action);
	for (size_t i = 0; i < x.n; i++)
		note_endpoint(p, s, &x.items[i], action);
}
