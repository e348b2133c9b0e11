/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/network_member.h"

#include <stdlib.h>

#include "cmd/docker/daemon/network.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/notes.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_state.h"
#include "runtime/record/container_store.h"
#include "runtime/record/endpoints.h"
#include "runtime/record/hosts.h"
#include "runtime/record/network.h"
#include "runtime/spec/flat.h"

static int no_memory(struct docker_fault *f)
{
	return err_oom(&f->err);
}

/* --- what is asked for -------------------------------------------------------------------- */

/* "CONTAINER:NAME": the name is what counts, for every member is at the same address. */
static void add_links(struct endpoint *x, const struct strv *links)
{
	for (size_t i = 0; i < links->n; i++) {
		const char *link = links->items[i], *colon = strrchr(link, ':');

		strv_add(&x->links, colon ? colon + 1 : link + (*link == '/'));
	}
}

static int fill(struct endpoint *x, const struct docker_endpoint_args *a, struct docker_fault *f)
{
	if (!x)
		return no_memory(f);
	for (size_t i = 0; i < a->aliases.n; i++) {
		bool is_there = false;

		for (size_t k = 0; k < x->aliases.n; k++)
			is_there |= str_eq(x->aliases.items[k], a->aliases.items[i]);
		if (!is_there)
			strv_add(&x->aliases, a->aliases.items[i]);
	}
	add_links(x, &a->links);
	if (strv_check(&x->aliases, &f->err) < 0)
		return -ENOMEM;
	return strv_check(&x->links, &f->err);
}

static int check_address(const struct docker_endpoint_args *a, struct docker_fault *f)
{
	if (!a->address || !*a->address)
		return 0;
	return docker_refuse(f,
			     "address %s is not available in csbx: containers have no addresses of "
			     "their own",
			     a->address);
}

/* One network by its name; those that are always there have no endpoint. */
static int add_network(const struct paths *p, const char *operand,
		       const struct docker_endpoint_args *a, struct endpoints *ret,
		       struct docker_fault *f)
{
	_network_ struct network_record found = {0};
	struct endpoint *x;
	int r;

	if (!*operand || str_eq(operand, "default") || docker_network_builtin(operand)) {
		if (a->aliases.n)
			return docker_refuse(f, "network-scoped alias is supported only for "
						"containers in user defined networks");
		if (a->links.n)
			return docker_refuse_early(f, "--link is not available in csbx: only in a "
						      "network of docker network create have "
						      "containers names for each other");
		return check_address(a, f);
	}
	r = check_address(a, f);
	if (r >= 0)
		r = docker_network_find(p, operand, &found, f);
	if (r < 0)
		return r;
	x = endpoints_get(ret, found.name);
	return fill(x ? x : endpoints_add(ret, found.name, found.id), a, f);
}

/* Words "network=NAME", and "alias=", "link=", "address=" of the one before them. */
static int add_words(const struct paths *p, const struct strv *words, struct endpoints *ret,
		     struct docker_fault *f)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < words->n;) {
		const char *name = words->items[i++];
		struct docker_endpoint_args a = {0};

		for (; i < words->n && !str_has_prefix(words->items[i], "network="); i++) {
			const char *word = words->items[i], *value = strchr(word, '=') + 1;

			if (str_has_prefix(word, "alias="))
				strv_add(&a.aliases, value);
			else if (str_has_prefix(word, "link="))
				strv_add(&a.links, value);
			else
				a.address = value;
		}
		r = add_network(p, strchr(name, '=') + 1, &a, ret, f);
		strv_free(&a.aliases);
		strv_free(&a.links);
	}
	return r;
}

int docker_endpoints_of(const struct paths *p, const struct docker_run_args *a,
			struct endpoints *ret, struct docker_fault *f)
{
	const struct docker_endpoint_args own = {.aliases = a->network_aliases, .links = a->links};
	const char *mode = a->network ? a->network : "";
	int r;

	*ret = (struct endpoints){0};
	if (str_has_prefix(mode, "container:"))
		mode = "";
	r = add_network(p, mode, &own, ret, f);
	if (r >= 0)
		r = add_words(p, &a->endpoints, ret, f);
	if (r < 0)
		endpoints_free(ret);
	return r;
}

/* --- changes ------------------------------------------------------------------------------ */

static int refresh(const struct paths *p, struct docker_fault *f)
{
	return hosts_refresh(p, &f->err);
}

int docker_endpoints_store(const struct paths *p, const char *name, const struct endpoints *x,
			   struct docker_fault *f)
{
	_close_ int lock = network_lock(p, &f->err), dirfd = -1;
	int r = lock;

	if (r >= 0)
		r = dirfd = container_store_open_dir(p, &f->err);
	if (r >= 0)
		r = endpoints_write(dirfd, name, x, &f->err);
	return r < 0 ? r : refresh(p, f);
}

bool docker_endpoints_has(const struct paths *p, const char *name)
{
	_close_ int dirfd = container_store_open_dir(p, NULL);
	struct endpoints x = {0};
	bool has = dirfd >= 0 && endpoints_read(dirfd, name, &x, NULL) > 0;

	endpoints_free(&x);
	return has;
}

void docker_endpoints_refresh(const struct paths *p)
{
	_close_ int lock = network_lock(p, NULL);

	if (lock >= 0)
		(void)hosts_refresh(p, NULL);
}

/* A container that is to change its networks, and those it has. */
struct change {
	const struct paths *paths;
	struct docker_target target;
	struct endpoints endpoints;
	int lock, dirfd;
	bool runs;
};

/* Begins with the network that it is in without a record of it. */
static int begin_with_own(struct change *c, struct docker_fault *f)
{
	const struct container_record *rec = &c->target.found.record;
	const char *mode = notes_get(&rec->notes, "network", 0);
	struct container_spec s;
	bool is_default = !mode || !*mode || str_eq(mode, "default") || str_eq(mode, "bridge");
	const char *hostname;
	int r = spec_flat_read(&s, rec->spec, rec->spec_len, &f->err);

	if (r < 0)
		return r;
	hostname = s.ns.hostname ? s.ns.hostname : "";
	c->endpoints.container_id = strdup(rec->container_id);
	c->endpoints.hostname = strdup(hostname);
	if (mode && str_eq(mode, "host"))
		r = docker_refuse(f, "container cannot be disconnected from host network or "
				     "connected to host network");
	else if (s.ns.net != NET_HOST)
		r = docker_refuse(f, "container cannot be connected to multiple networks with one "
				     "of the networks in private (none) mode");
	else if (mode && str_has_prefix(mode, "container:"))
		r = docker_refuse(f, "container sharing network namespace with another container "
				     "or host cannot be connected to any other network");
	else if (is_default && !endpoints_add(&c->endpoints, "bridge", ""))
		r = no_memory(f);
	spec_free(&s);
	return r;
}

static int change_begin(const struct paths *p, const char *container, struct change *c,
			struct docker_fault *f)
{
	struct container_state state = {0};
	int r;

	*c = (struct change){.paths = p, .lock = -1, .dirfd = -1};
	r = docker_target_open(p, container, &c->target, f);
	if (r >= 0 && !c->target.stays)
		r = docker_refuse(f, "%s was started by csbx start: it has no networks to change",
				  container);
	if (r >= 0)
		r = c->lock = network_lock(p, &f->err);
	if (r >= 0)
		r = c->dirfd = container_store_open_dir(p, &f->err);
	if (r >= 0)
		r = endpoints_read(c->dirfd, c->target.found.name, &c->endpoints, &f->err);
	if (r == 0)
		r = begin_with_own(c, f);
	if (r >= 0)
		r = container_state_read(p, c->target.found.name, &c->target.found.record, &state,
					 &f->err);
	c->runs = state.status == CONTAINER_RUNNING || state.status == CONTAINER_PAUSED;
	return r;
}

static int change_commit(struct change *c, struct docker_fault *f)
{
	int r = endpoints_write(c->dirfd, c->target.found.name, &c->endpoints, &f->err);

	return r < 0 ? r : refresh(c->paths, f);
}

static void change_close(struct change *c)
{
	endpoints_free(&c->endpoints);
	fd_close(&c->dirfd);
	fd_close(&c->lock);
	docker_target_close(&c->target);
}

static int check_builtin(const char *operand, struct docker_fault *f)
{
	const struct docker_network *n = docker_network_builtin(operand);

	if (n && str_eq(n->record.name, "host"))
		return docker_refuse(f, "container cannot be disconnected from host network or "
					"connected to host network");
	if (n && str_eq(n->record.name, "none"))
		return docker_refuse(f, "container cannot be connected to multiple networks with "
					"one of the networks in private (none) mode");
	return 0;
}

static int connect_it(struct change *c, const struct network_record *n,
		      const struct docker_endpoint_args *a, struct docker_fault *f)
{
	int r;

	if (endpoints_get(&c->endpoints, n->name)) {
		if (c->runs)
			return docker_fault(f, DOCKER_FORBIDDEN, EEXIST,
					    "endpoint with name %s already exists in network %s",
					    c->target.found.name, n->name);
		endpoints_drop(&c->endpoints, n->name);
	}
	r = fill(endpoints_add(&c->endpoints, n->name, n->id), a, f);
	return r < 0 ? r : change_commit(c, f);
}

int docker_network_connect(const struct paths *p, const char *operand, const char *container,
			   const struct docker_endpoint_args *a, struct docker_fault *f)
{
	const struct docker_network *builtin = docker_network_builtin(operand);
	_network_ struct network_record found = {0};
	struct change c;
	int r = check_builtin(operand, f);

	if (r >= 0)
		r = check_address(a, f);
	if (r >= 0 && builtin && a->aliases.n)
		r = docker_refuse(f, "network-scoped alias is supported only for containers in "
				     "user defined networks");
	if (r >= 0 && !builtin)
		r = docker_network_find(p, operand, &found, f);
	if (r < 0)
		return r;
	r = change_begin(p, container, &c, f);
	if (r >= 0 && builtin) {
		struct network_record bridge = {.name = builtin->record.name};

		r = connect_it(&c, &bridge, a, f);
	} else if (r >= 0) {
		r = connect_it(&c, &found, a, f);
	}
	if (r >= 0 && !builtin && c.runs)
		docker_network_event(p, "connect", &found, docker_target_id(&c.target));
	change_close(&c);
	return r < 0 ? r : 0;
}

int docker_network_disconnect(const struct paths *p, const char *operand, const char *container,
			      bool force, struct docker_fault *f)
{
	const struct docker_network *builtin = docker_network_builtin(operand);
	_network_ struct network_record found = {0};
	const char *name = builtin ? builtin->record.name : NULL;
	struct change c;
	int r = check_builtin(operand, f);

	if (r >= 0 && !builtin) {
		r = docker_network_find(p, operand, &found, f);
		name = found.name;
	}
	if (r < 0)
		return r;
	r = change_begin(p, container, &c, f);
	if (r >= 0 && !endpoints_get(&c.endpoints, name)) {
		r = docker_fault(f, DOCKER_FAILED, ENOENT,
				 "container %s is not connected to the network %s",
				 docker_target_id(&c.target), name);
	} else if (r >= 0) {
		endpoints_drop(&c.endpoints, name);
		r = change_commit(&c, f);
		if (r >= 0 && !builtin)
			docker_network_event(p, "disconnect", &found, docker_target_id(&c.target));
	} else if (force && f->status == DOCKER_NOT_FOUND) {
		r = 0;
	}
	change_close(&c);
	return r < 0 ? r : 0;
}
