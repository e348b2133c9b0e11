/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/list.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/notes.h"
#include "cmd/docker/frame/published.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static void add_labels(struct docker_value *row, const struct listed *x)
{
	struct docker_value *map = docker_value_add(row, "Labels", DOCKER_VALUE_MAP);

	for (size_t i = 0; i < x->labels.n; i++) {
		const char *label = x->labels.items[i];
		size_t len = strcspn(label, "=");
		_free_ char *key = strndup(label, len);

		if (key)
			docker_value_str(map, key, label[len] ? label + len + 1 : "");
	}
}

static void add_mounts(struct docker_value *row, const struct listed *x)
{
	struct docker_value *list = docker_value_add(row, "Mounts", DOCKER_VALUE_LIST);

	for (size_t i = 0; i < x->n_mounts; i++) {
		const struct listed_mount *m = &x->mounts[i];
		struct docker_value *v = docker_value_add(list, NULL, DOCKER_VALUE_STRUCT);

		docker_value_str(v, "Type", m->is_volume ? "volume" : "bind");
		if (m->is_volume)
			docker_value_str(v, "Name", m->source);
		docker_value_str(v, "Source", m->is_volume ? "" : m->source);
		docker_value_str(v, "Destination", m->target);
	}
}

/* "8000-8002/tcp" is three of them. A port of the container is the same port of the host. */
static void add_range(struct docker_value *list, const struct published *p)
{
	const char *protocol = strchr(p->port, '/');
	bool in_brackets = *p->ip == '[';
	char *end = NULL;
	unsigned long first = strtoul(p->port, &end, 10),
		      last = *end == '-' ? strtoul(end + 1, NULL, 10) : first;

	for (unsigned long port = first; port && port <= last && port <= UINT16_MAX; port++) {
		struct docker_value *v = docker_value_add(list, NULL, DOCKER_VALUE_STRUCT);

		docker_value_strn(v, "IP", *p->ip ? p->ip + in_brackets : "0.0.0.0",
				  *p->ip ? strcspn(p->ip + in_brackets, "]") : strlen("0.0.0.0"));
		docker_value_int(v, "PrivatePort", (int64_t)port);
		docker_value_int(v, "PublicPort", (int64_t)port);
		docker_value_str(v, "Type", protocol ? protocol + 1 : "tcp");
	}
}

static void add_ports(struct docker_value *row, const struct listed *x)
{
	struct docker_value *list = docker_value_add(row, "Ports", DOCKER_VALUE_LIST);
	const char *note;

	if (x->status != CONTAINER_RUNNING && x->status != CONTAINER_PAUSED)
		return;
	for (size_t i = 0; (note = notes_get(&x->notes, "publish", i)); i++) {
		const struct published p = published_split(note);

		add_range(list, &p);
	}
}

static void add_network(struct docker_value *row, const struct paths *p, const struct listed *x)
{
	const char *asked = notes_get(&x->notes, "network", 0);
	const char *name = asked && *asked ? asked : *x->network ? x->network : "host";
	struct docker_value *networks;

	docker_value_str(docker_value_add(row, "HostConfig", DOCKER_VALUE_STRUCT), "NetworkMode",
			 name);
	networks = docker_value_add(docker_value_add(row, "NetworkSettings", DOCKER_VALUE_STRUCT),
				    "Networks", DOCKER_VALUE_MAP);
	if (docker_endpoints_value(p, x->name,
				   x->status == CONTAINER_RUNNING || x->status == CONTAINER_PAUSED,
				   networks))
		return;
	networks = docker_value_add(networks, name, DOCKER_VALUE_STRUCT);
	docker_value_add(networks, "IPAMConfig", DOCKER_VALUE_NIL);
	docker_value_add(networks, "Links", DOCKER_VALUE_NOLIST);
	docker_value_add(networks, "Aliases", DOCKER_VALUE_NOLIST);
	docker_value_str(networks, "NetworkID", "");
	docker_value_str(networks, "EndpointID", "");
	docker_value_str(networks, "Gateway", "");
	docker_value_str(networks, "IPAddress", "");
	docker_value_int(networks, "IPPrefixLen", 0);
	docker_value_str(networks, "IPv6Gateway", "");
	docker_value_str(networks, "GlobalIPv6Address", "");
	docker_value_int(networks, "GlobalIPv6PrefixLen", 0);
	docker_value_str(networks, "MacAddress", "");
	docker_value_add(networks, "DriverOpts", DOCKER_VALUE_NOMAP);
}

static void add_row(struct docker_value *rows, const struct paths *p, const struct docker_list *how,
		    const struct listed *x, uint64_t now_ns)
{
	struct docker_value *row = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);
	_strbuf_ struct strbuf status = STRBUF_INIT;

	listed_status(x, now_ns, &status);
	docker_value_str(row, "Id", x->id);
	docker_value_strf(docker_value_add(row, "Names", DOCKER_VALUE_LIST), NULL, "/%s", x->name);
	docker_value_str(row, "Image", x->image);
	docker_value_str(row, "ImageID", x->image_id);
	docker_value_str(row, "Command", x->command);
	docker_value_int(row, "Created", (int64_t)(x->created_ns / 1000000000u));
	add_ports(row, x);
	if (how->size) {
		docker_value_int(row, "SizeRw", (int64_t)listed_size(p, x));
		docker_value_int(row, "SizeRootFs", 0);
	}
	add_labels(row, x);
	docker_value_str(row, "State", container_status_name(x->status));
	docker_value_str(row, "Status", strbuf_str(&status));
	add_network(row, p, x);
	add_mounts(row, x);
}

int docker_list_value(const struct paths *p, const struct docker_list *how,
		      struct docker_value **ret, struct docker_fault *f)
{
	bool any = how->all || how->limit || ps_filter_wants_all(how->filters);
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	_listed_ struct listed_list all = {0};
	struct ps_filter *filter = NULL;
	size_t n = 0;

	if (listed_read(p, any || how->filters->n, &all, &f->err) < 0)
		return -f->err.code;
	if (ps_filter_new(how->filters, &all, &filter, &f->err) < 0)
		return docker_fault_is(f, DOCKER_BAD_REQUEST, -f->err.code);
	for (size_t i = 0; i < all.n && (!how->limit || n < how->limit); i++) {
		const struct listed *x = &all.items[i];

		if (!any && !container_is_active(x->status))
			continue;
		if (!ps_filter_matches(filter, x))
			continue;
		add_row(rows, p, how, x, all.now_ns);
		n++;
	}
	ps_filter_free(filter);
	if (docker_value_check(rows, &f->err) < 0)
		return -ENOMEM;
	*ret = take_ptr(rows);
	return 0;
}
