/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_ENDPOINTS_H
#define CSBX_RUNTIME_ENDPOINTS_H

/*
 * The networks that a container belongs to: containers/NAME/endpoints, a flat record. A container
 * without one has the network of its specification and no other. The file comes, is renamed and
 * goes with the container's directory. A process that changes it holds network_lock().
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

struct err;
struct paths;

struct endpoint {
	char *network;       /* its name */
	char *network_id;    /* "": one of those that are always there */
	struct strv aliases; /* names of the container in it, beside its own */
	struct strv links;   /* names that only this container knows, of other members */
};

struct endpoints {
	char *container_id, *hostname;
	struct endpoint *items;
	size_t n, cap;
};
#define _endpoints_ __attribute__((cleanup(endpoints_free)))

void endpoints_free(struct endpoints *x);
/* The one of that network, NULL: there is none. */
struct endpoint *endpoints_get(const struct endpoints *x, const char *network);
/* A zeroed one more, with copies of name and id; NULL: out of memory. */
struct endpoint *endpoints_add(struct endpoints *x, const char *network, const char *network_id);
void endpoints_drop(struct endpoints *x, const char *network);

/* containers_fd: container_store_open_dir(). 1: read; 0: it has none, *ret is empty. */
int endpoints_read(int containers_fd, const char *name, struct endpoints *ret, struct err *e);
int endpoints_write(int containers_fd, const char *name, const struct endpoints *x, struct err *e);
/*
 * Calls fn for every container that has some; fn may keep nothing of them. Stops at the first
 * result that is not 0, which it returns.
 */
int endpoints_each(int containers_fd,
		   int (*fn)(void *arg, const char *name, const struct endpoints *x), void *arg,
		   struct err *e);

#endif
