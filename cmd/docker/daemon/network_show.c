/* SPDX-License-Identifier: Apache-2.0 */

/* The members of a network, and the networks of a container, as they are described. */

#include "cmd/docker/daemon/network.h"
#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_state.h"
#include "runtime/record/container_store.h"
#include "runtime/record/endpoints.h"

/* --- of a network ------------------------------------------------------------------------- */

struct members {
	const struct paths *paths;
	int containers;
	const char *network;
	enum docker_members which;
	struct docker_value *map;
	int n;
};

static void describe_member(struct docker_value *map, const char *name, const struct endpoints *x,
			    bool runs)
{
	struct docker_value *v =
		map && x->container_id ? docker_value_add(map, x->container_id, DOCKER_VALUE_STRUCT)
				       : NULL;

	docker_value_str(v, "Name", name);
	docker_value_str(v, "EndpointID", x->container_id);
	docker_value_str(v, "MacAddress", "");
	docker_value_str(v, "IPv4Address", runs ? "127.0.0.1/8" : "");
	docker_value_str(v, "IPv6Address", "");
}

static int add_member(void *arg, const char *name, const struct endpoints *x)
{
	struct members *m = arg;
	struct container_state state = {0};
	struct container_record rec;
	bool runs = false;

	if (!endpoints_get(x, m->network))
		return 0;
	if (m->which == DOCKER_MEMBERS_RUNNING) {
		if (container_store_read(m->containers, name, &rec, NULL) < 0)
			return 0;
		if (container_state_read(m->paths, name, &rec, &state, NULL) >= 0)
			runs = state.status == CONTAINER_RUNNING ||
			       state.status == CONTAINER_PAUSED;
		container_record_free(&rec);
		if (!runs)
			return 0;
	}
	m->n++;
	if (m->map)
		describe_member(m->map, name, x, runs);
	return 0;
}

int docker_network_members(const struct paths *p, const char *network, enum docker_members which,
			   struct docker_value *map, struct docker_fault *f)
{
	_close_ int dirfd = container_store_open_dir(p, &f->err);
	struct members m = {p, dirfd, network, which, map, 0};
	int r = dirfd < 0 ? dirfd : endpoints_each(dirfd, add_member, &m, &f->err);

	return r < 0 ? r : m.n;
}

/* --- of a container ----------------------------------------------------------------------- */

static void describe(struct docker_value *map, const struct endpoint *x,
		     const struct endpoints *all, bool runs)
{
	struct docker_value *v = docker_value_add(map, x->network, DOCKER_VALUE_STRUCT);
	const struct docker_network *builtin = docker_network_builtin(x->network);

	docker_value_add(v, "IPAMConfig", DOCKER_VALUE_NIL);
	docker_value_strv(v, "Links", &x->links, DOCKER_VALUE_NOLIST);
	docker_value_strv(v, "Aliases", &x->aliases, DOCKER_VALUE_NOLIST);
	docker_value_str(v, "MacAddress", "");
	docker_value_str(v, "NetworkID", builtin ? builtin->record.id : x->network_id);
	docker_value_str(v, "EndpointID", runs ? all->container_id : "");
	docker_value_str(v, "Gateway", "");
	docker_value_str(v, "IPAddress", runs && !builtin ? "127.0.0.1" : "");
	docker_value_int(v, "IPPrefixLen", runs && !builtin ? 8 : 0);
	docker_value_str(v, "IPv6Gateway", "");
	docker_value_str(v, "GlobalIPv6Address", "");
	docker_value_int(v, "GlobalIPv6PrefixLen", 0);
	docker_value_add(v, "DriverOpts", DOCKER_VALUE_NOMAP);
	docker_value_add(v, "DNSNames", DOCKER_VALUE_NOLIST);
}

int docker_endpoints_value(const struct paths *p, const char *name, bool runs,
			   struct docker_value *map)
{
	_endpoints_ struct endpoints x = {0};
	_close_ int dirfd = container_store_open_dir(p, NULL);

	if (dirfd < 0 || endpoints_read(dirfd, name, &x, NULL) <= 0)
		return 0;
	for (size_t i = 0; i < x.n; i++)
		describe(map, &x.items[i], &x, runs);
	return 1;
}
