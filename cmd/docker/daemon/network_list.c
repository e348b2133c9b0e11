/* SPDX-License-Identifier: Apache-2.0 */

/* Lists the networks, chooses those that a filter names, and describes them. */

#include <stdlib.h>

#include "cmd/docker/daemon/network.h"
#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/volume/volume.h"
#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/log_time.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/endpoints.h"

int docker_network_find(const struct paths *p, const char *operand, struct network_record *ret,
			struct docker_fault *f)
{
	int r = network_find(p, operand, ret, &f->err);

	return r < 0 ? docker_fault_is(f,
				       r == -ENOENT     ? DOCKER_NOT_FOUND
				       : r == -ENOTUNIQ ? DOCKER_BAD_REQUEST
							: DOCKER_FAILED,
				       r)
		     : 0;
}

void docker_network_list_free(struct docker_network_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (!l->items[i].is_builtin)
			network_record_free(&l->items[i].record);
	}
	free(l->items);
	*l = (struct docker_network_list){0};
}

/* --- filters ------------------------------------------------------------------------------ */

/* Judges one network by one filter: 1, 0, or a fault. */
static int judge(const struct paths *p, const struct docker_network *n, const char *filter,
		 struct docker_fault *f)
{
	const struct network_record *r = &n->record;
	const char *value = strchr(filter, '=') + 1;
	int wanted, used;

	if (str_has_prefix(filter, "name="))
		return strstr(r->name, value) != NULL;
	if (str_has_prefix(filter, "driver="))
		return str_eq(r->driver, value);
	if (str_has_prefix(filter, "id="))
		return str_has_prefix(r->id, value);
	if (str_has_prefix(filter, "scope="))
		return str_eq(value, "local");
	if (str_has_prefix(filter, "label="))
		return docker_has_label(&r->labels, value);
	if (str_has_prefix(filter, "type=")) {
		if (!str_eq(value, "builtin") && !str_eq(value, "custom"))
			return docker_refuse(f, "invalid filter: 'type'='%s'", value);
		return n->is_builtin == str_eq(value, "builtin");
	}
	if (str_has_prefix(filter, "dangling=")) {
		wanted = docker_parse_bool(value);
		if (wanted < 0)
			return docker_refuse(f, "invalid filter 'dangling=[%s]'", value);
		used = n->is_builtin
			       ? 1
			       : docker_network_members(p, r->name, DOCKER_MEMBERS_ALL, NULL, f);
		return used < 0 ? used : !used == !!wanted;
	}
	return docker_refuse(f, "invalid filter '%.*s'", (int)strcspn(filter, "="), filter);
}

/* Any value of one key is enough, but all labels must match; each key must match. */
static int chosen(const struct paths *p, const struct docker_network *n, const struct strv *filters,
		  struct docker_fault *f)
{
	bool yes = true;

	for (size_t i = 0; i < filters->n; i++) {
		size_t key = strcspn(filters->items[i], "=") + 1;
		bool any = false;

		for (size_t k = 0; k < filters->n; k++) {
			int r;

			if (strncmp(filters->items[k], filters->items[i], key) != 0)
				continue;
			r = judge(p, n, filters->items[k], f);
			if (r < 0)
				return r;
			any |= r > 0;
			if (!r && str_has_prefix(filters->items[k], "label="))
				yes = false;
		}
		yes &= any;
	}
	return yes;
}

static int add(struct docker_network_list *l, const struct docker_network *n, struct err *e)
{
	struct docker_network *items = reallocarray(l->items, l->n + 1, sizeof(*items));

	if (!items)
		return err_oom(e);
	l->items = items;
	l->items[l->n++] = *n;
	return 0;
}

/* Takes n over. */
static int add_chosen(const struct paths *p, const struct strv *filters,
		      struct docker_network_list *l, struct docker_network *n,
		      struct docker_fault *f)
{
	int r = chosen(p, n, filters, f);

	if (r > 0)
		r = add(l, n, &f->err) < 0 ? -ENOMEM : 1;
	if (r <= 0 && !n->is_builtin)
		network_record_free(&n->record);
	return r < 0 ? r : 0;
}

static int read_made(const struct paths *p, const struct strv *filters,
		     struct docker_network_list *ret, struct docker_fault *f)
{
	_strv_ struct strv names = STRV_INIT;
	int r = network_list(p, &names, &f->err);

	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		struct docker_network one = {0};

		/* One that cannot be read, or has just been removed, shall not hide the others. */
		if (network_read(p, names.items[i], &one.record, NULL) >= 0)
			r = add_chosen(p, filters, ret, &one, f);
	}
	return r;
}

static int by_name(const void *a, const void *b)
{
	const struct docker_network *x = a, *y = b;

	return strcmp(x->record.name, y->record.name);
}

int docker_network_list(const struct paths *p, const struct strv *filters,
			struct docker_network_list *ret, struct docker_fault *f)
{
	static const char *const names[] = {"bridge", "host", "none"};
	int r = 0;

	*ret = (struct docker_network_list){0};
	for (size_t i = 0; r >= 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		struct docker_network one = *docker_network_builtin(names[i]);

		r = add_chosen(p, filters, ret, &one, f);
	}
	if (r >= 0)
		r = read_made(p, filters, ret, f);
	if (r >= 0 && ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	return r;
}

/* --- prune's filters ---------------------------------------------------------------------- */

static int may_go(const struct network_record *n, const struct strv *filters,
		  struct docker_fault *f)
{
	for (size_t i = 0; i < filters->n; i++) {
		const char *x = filters->items[i];
		uint64_t at_ns;

		if (str_has_prefix(x, "until=")) {
			if (docker_log_time_parse(x + 6, &at_ns) < 0)
				return docker_refuse(f, "invalid value for until: %s", x + 6);
			if (n && n->created_ns >= at_ns)
				return 0;
		} else if (!str_has_prefix(x, "label=") && !str_has_prefix(x, "label!=")) {
			return docker_refuse(f, "invalid filter '%.*s'", (int)strcspn(x, "="), x);
		} else if (n && (x[5] == '=' ? !docker_has_label(&n->labels, x + 6)
					     : docker_has_label(&n->labels, x + 7))) {
			return 0;
		}
	}
	return 1;
}

int docker_network_prunable(const struct paths *p, const struct strv *filters,
			    struct docker_network_list *ret, struct docker_fault *f)
{
	static const struct strv none = STRV_INIT;
	int r = may_go(NULL, filters, f);
	size_t n = 0;

	if (r >= 0)
		r = read_made(p, &none, ret, f);
	for (size_t i = 0; r >= 0 && i < ret->n; i++) {
		r = may_go(&ret->items[i].record, filters, f);
		if (r > 0)
			ret->items[n++] = ret->items[i];
		else
			network_record_free(&ret->items[i].record);
	}
	if (r >= 0)
		ret->n = n;
	return r < 0 ? r : 0;
}

/* --- as an object ------------------------------------------------------------------------- */

static void add_map(struct docker_value *v, const char *key, const struct strv *pairs)
{
	struct docker_value *map = docker_value_add(v, key, DOCKER_VALUE_MAP);

	for (size_t i = 0; i < pairs->n; i++) {
		size_t len = strcspn(pairs->items[i], "=");
		_free_ char *name = strndup(pairs->items[i], len);

		if (name)
			docker_value_str(map, name,
					 pairs->items[i][len] ? pairs->items[i] + len + 1 : "");
	}
}

/* "SUBNET|RANGE|GATEWAY"; parts may be empty, and are left out then. */
static void add_subnet(struct docker_value *list, const char *text)
{
	static const char *const keys[] = {"Subnet", "IPRange", "Gateway"};
	struct docker_value *v = docker_value_add(list, NULL, DOCKER_VALUE_MAP);

	for (size_t i = 0; i < 3; i++) {
		size_t len = strcspn(text, "|");

		if (len)
			docker_value_strn(v, keys[i], text, len);
		text += len + (text[len] == '|');
	}
}

static void add_ipam(struct docker_value *v, const struct docker_network *n)
{
	struct docker_value *ipam = docker_value_add(v, "IPAM", DOCKER_VALUE_STRUCT), *list;

	docker_value_str(ipam, "Driver", "default");
	docker_value_add(ipam, "Options", DOCKER_VALUE_NOMAP);
	list = docker_value_add(ipam, "Config",
				n->is_builtin ? DOCKER_VALUE_NOLIST : DOCKER_VALUE_LIST);
	for (size_t i = 0; i < n->record.subnets.n; i++)
		add_subnet(list, n->record.subnets.items[i]);
}

int docker_network_describe(const struct paths *p, const struct docker_network *n, bool members,
			    struct docker_value *list, struct docker_fault *f)
{
	struct docker_value *v = list->kind == DOCKER_VALUE_LIST
					 ? docker_value_add(list, NULL, DOCKER_VALUE_STRUCT)
					 : list;
	const struct network_record *r = &n->record;
	struct docker_value *map;

	if (!v)
		return err_oom(&f->err);
	v->type = "types.NetworkResource";
	docker_value_str(v, "Name", r->name);
	docker_value_in_go(docker_value_str(v, "Id", r->id), "ID");
	docker_value_time(v, "Created", r->created_ns);
	docker_value_str(v, "Scope", "local");
	docker_value_str(v, "Driver", r->driver);
	docker_value_bool(v, "EnableIPv4", true);
	docker_value_bool(v, "EnableIPv6", r->ipv6);
	add_ipam(v, n);
	docker_value_bool(v, "Internal", false);
	docker_value_bool(v, "Attachable", r->attachable);
	docker_value_bool(v, "Ingress", false);
	docker_value_str(docker_value_add(v, "ConfigFrom", DOCKER_VALUE_STRUCT), "Network", "");
	docker_value_bool(v, "ConfigOnly", false);
	map = docker_value_add(v, "Containers", DOCKER_VALUE_MAP);
	if (members && !n->is_builtin &&
	    docker_network_members(p, r->name, DOCKER_MEMBERS_RUNNING, map, f) < 0)
		return -f->err.code;
	add_map(v, "Options", &r->options);
	add_map(v, "Labels", &r->labels);
	return 0;
}

int docker_network_value(const struct paths *p, const char *operand, struct docker_value **ret,
			 struct docker_fault *f)
{
	const struct docker_network *builtin = docker_network_builtin(operand);
	struct docker_network made = {0};
	_docker_value_ struct docker_value *v = NULL;
	int r = builtin ? 0 : docker_network_find(p, operand, &made.record, f);

	if (r < 0)
		return r;
	v = docker_value_new(DOCKER_VALUE_STRUCT);
	r = v ? docker_network_describe(p, builtin ? builtin : &made, true, v, f)
	      : err_oom(&f->err);
	network_record_free(&made.record);
	if (r >= 0)
		r = docker_value_check(v, &f->err);
	if (r >= 0)
		*ret = take_ptr(v);
	return r;
}
