/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/network.h"

#include <stdlib.h>

#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/events.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* --- create ------------------------------------------------------------------------------- */

static int check_driver(const char *driver, struct docker_fault *f)
{
	if (!driver || !*driver || str_eq(driver, "bridge"))
		return 0;
	if (str_eq(driver, "host") || str_eq(driver, "null"))
		return docker_fault(f, DOCKER_FORBIDDEN, EPERM,
				    "only one instance of \"%s\" network is allowed", driver);
	if (str_eq(driver, "overlay") || str_eq(driver, "macvlan") || str_eq(driver, "ipvlan"))
		return docker_refuse(f,
				     "driver %s is not available in csbx: a network is a record of "
				     "who belongs together",
				     driver);
	return docker_fault(f, DOCKER_NOT_FOUND, ENOENT,
			    "could not find plugin %s in v1 plugin registry: plugin not found",
			    driver);
}

static int check(const struct docker_network_args *a, struct docker_fault *f)
{
	const char *name = a->name ? a->name : "";

	if (!*name)
		return docker_refuse(f, "invalid network name: name is empty");
	if (docker_network_builtin(name) || str_eq(name, "default"))
		return docker_fault(f, DOCKER_FORBIDDEN, EPERM,
				    "operation is not permitted on predefined %s network ", name);
	if (!name_is_valid(name))
		return docker_refuse(f,
				     "invalid network name: '%s': only [a-zA-Z0-9][a-zA-Z0-9_.-] "
				     "are allowed",
				     name);
	if (a->internal)
		return docker_refuse(f,
				     "an internal network is not available in csbx: networks carry "
				     "no traffic of their own, and their members reach what this "
				     "machine reaches");
	if (a->ingress || a->config_only)
		return docker_refuse(f, "%s networks are not available in csbx",
				     a->ingress ? "ingress" : "config-only");
	return check_driver(a->driver, f);
}

static void copy_all(struct strv *to, const struct strv *from)
{
	for (size_t i = 0; i < from->n; i++)
		strv_add(to, from->items[i]);
}

void docker_network_event(const struct paths *p, const char *action, const struct network_record *n,
			  const char *container)
{
	_strv_ struct strv attributes = STRV_INIT;

	if (container)
		strv_take(&attributes, str_printf("container=%s", container));
	strv_take(&attributes, str_printf("name=%s", n->name));
	strv_take(&attributes, str_printf("type=%s", n->driver ? n->driver : "bridge"));
	if (!attributes.failed)
		docker_event(p, "network", action, n->id, &attributes);
}

static void copy_labels(struct strv *to, const struct strv *from)
{
	for (size_t i = 0; i < from->n; i++) {
		const char *label = from->items[i];
		_free_ char *bare = strchr(label, '=') ? NULL : str_printf("%s=", label);

		strv_set_env(to, bare ? bare : label);
	}
}

int docker_network_create(const struct paths *p, const struct docker_network_args *a,
			  char ret_id[NETWORK_ID_DIGITS + 1], struct docker_fault *f)
{
	_network_ struct network_record made = {.attachable = a->attachable, .ipv6 = a->ipv6};
	int r = check(a, f);

	if (r < 0)
		return r;
	made.name = strdup(a->name);
	made.driver = strdup("bridge");
	copy_labels(&made.labels, &a->labels);
	copy_labels(&made.options, &a->options);
	copy_all(&made.subnets, &a->subnets);
	if (!made.name || !made.driver || strv_check(&made.labels, &f->err) < 0 ||
	    strv_check(&made.options, &f->err) < 0 || strv_check(&made.subnets, &f->err) < 0)
		return err_oom(&f->err);
	r = network_create(p, &made, &f->err);
	if (r < 0)
		return docker_fault_is(f, r == -EEXIST ? DOCKER_CONFLICT : DOCKER_FAILED, r);
	memcpy(ret_id, made.id, sizeof(made.id));
	docker_network_event(p, "create", &made, NULL);
	return 0;
}

/* --- remove ------------------------------------------------------------------------------- */

int docker_network_remove(const struct paths *p, const char *operand, struct docker_fault *f)
{
	_network_ struct network_record found = {0};
	_close_ int lock = -1;
	int r;

	if (docker_network_builtin(operand))
		return docker_fault(f, DOCKER_FORBIDDEN, EPERM,
				    "%s is a pre-defined network and cannot be removed", operand);
	lock = network_lock(p, &f->err);
	if (lock < 0)
		return lock;
	r = docker_network_find(p, operand, &found, f);
	if (r < 0)
		return r;
	r = docker_network_members(p, found.name, DOCKER_MEMBERS_RUNNING, NULL, f);
	if (r > 0)
		return docker_fault(f, DOCKER_FORBIDDEN, EBUSY,
				    "error while removing network: network %s id %s has active "
				    "endpoints",
				    found.name, found.id);
	if (r >= 0)
		r = network_remove(p, found.name, &f->err);
	if (r >= 0)
		docker_network_event(p, "destroy", &found, NULL);
	return r;
}

static void note_pruned(const struct paths *p, const struct network_record *n, struct strv *names)
{
	docker_network_event(p, "destroy", n, NULL);
	strv_add(names, n->name);
}

int docker_network_prune(const struct paths *p, const struct strv *filters, struct strv *ret_names,
			 struct docker_fault *f)
{
	_docker_networks_ struct docker_network_list all = {0};
	_close_ int lock = network_lock(p, &f->err);
	int r = lock < 0 ? lock : docker_network_prunable(p, filters, &all, f);

	for (size_t i = 0; r >= 0 && i < all.n; i++) {
		const char *name = all.items[i].record.name;

		r = docker_network_members(p, name, DOCKER_MEMBERS_ALL, NULL, f);
		if (r != 0)
			continue;
		r = network_remove(p, name, &f->err);
		if (r >= 0)
			note_pruned(p, &all.items[i].record, ret_names);
		else if (r == -ENOENT)
			r = 0;
	}
	if (r >= 0)
		docker_event_prune(p, "network", 0);
	return r < 0 ? r : strv_check(ret_names, &f->err);
}
