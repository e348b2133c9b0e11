/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/list.h"

#include <stdlib.h>

#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/notes.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static void add_labels(struct value *row, const struct listed *x)
{
	struct value *map = value_add(row, "Labels", VALUE_MAP);

	for (size_t i = 0; i < x->labels.n; i++) {
		const char *label = x->labels.items[i];
		size_t len = strcspn(label, "=");
		_free_ char *key = strndup(label, len);

		if (key)
			value_str(map, key, label[len] ? label + len + 1 : "");
	}
}

static void add_mounts(struct value *row, const struct listed *x)
{
	struct value *list = value_add(row, "Mounts", VALUE_LIST);

	for (size_t i = 0; i < x->n_mounts; i++) {
		const struct listed_mount *m = &x->mounts[i];
		struct value *v = value_add(list, NULL, VALUE_STRUCT);

		value_str(v, "Type", m->is_volume ? "volume" : "bind");
		if (m->is_volume)
			value_str(v, "Name", m->source);
		value_str(v, "Source", m->is_volume ? "" : m->source);
		value_str(v, "Destination", m->target);
	}
}

static void add_network(struct value *row, const struct paths *p, const struct listed *x)
{
	const char *asked = notes_get(&x->notes, "network", 0);
	const char *name = asked && *asked ? asked : *x->network ? x->network : "host";
	struct value *networks;

	value_str(value_add(row, "HostConfig", VALUE_STRUCT), "NetworkMode", name);
	networks =
		value_add(value_add(row, "NetworkSettings", VALUE_STRUCT), "Networks", VALUE_MAP);
	if (docker_endpoints_value(p, x->name,
				   x->status == CONTAINER_RUNNING || x->status == CONTAINER_PAUSED,
				   networks))
		return;
	networks = value_add(networks, name, VALUE_STRUCT);
	value_add(networks, "IPAMConfig", VALUE_NIL);
	value_add(networks, "Links", VALUE_NOLIST);
	value_add(networks, "Aliases", VALUE_NOLIST);
	value_str(networks, "NetworkID", "");
	value_str(networks, "EndpointID", "");
	value_str(networks, "Gateway", "");
	value_str(networks, "IPAddress", "");
	value_int(networks, "IPPrefixLen", 0);
	value_str(networks, "IPv6Gateway", "");
	value_str(networks, "GlobalIPv6Address", "");
	value_int(networks, "GlobalIPv6PrefixLen", 0);
	value_str(networks, "MacAddress", "");
	value_add(networks, "DriverOpts", VALUE_NOMAP);
}

static void add_row(struct value *rows, const struct paths *p, const struct docker_list *how,
		    const struct listed *x, uint64_t now_ns)
{
	struct value *row = value_add(rows, NULL, VALUE_STRUCT);
	_strbuf_ struct strbuf status = STRBUF_INIT;

	listed_status(x, now_ns, &status);
	value_str(row, "Id", x->id);
	value_strf(value_add(row, "Names", VALUE_LIST), NULL, "/%s", x->name);
	value_str(row, "Image", x->image);
	value_str(row, "ImageID", x->image_id);
	value_str(row, "Command", x->command);
	value_int(row, "Created", (int64_t)(x->created_ns / 1000000000u));
	value_add(row, "Ports", VALUE_LIST);
	if (how->size) {
		value_int(row, "SizeRw", (int64_t)listed_size(p, x));
		value_int(row, "SizeRootFs", 0);
	}
	add_labels(row, x);
	value_str(row, "State", container_status_name(x->status));
	value_str(row, "Status", strbuf_str(&status));
	add_network(row, p, x);
	add_mounts(row, x);
}

int docker_list_value(const struct paths *p, const struct docker_list *how, struct value **ret,
		      struct docker_fault *f)
{
	bool any = how->all || how->limit || ps_filter_wants_all(how->filters);
	_value_ struct value *rows = value_new(VALUE_LIST);
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
	if (value_check(rows, &f->err) < 0)
		return -ENOMEM;
	*ret = take_ptr(rows);
	return 0;
}
