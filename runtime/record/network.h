/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_NETWORK_H
#define CSBX_RUNTIME_NETWORK_H

/*
 * User-defined networks: $CSBX_DATA_PATH/networks/NAME, a flat record each. A network is a record:
 * it says which containers belong together (endpoints.h), and those find each other by their names
 * in /etc/hosts (hosts.h). It carries no traffic of its own: its members are on the host's network.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"
#include "runtime/spec/name.h"

struct err;
struct paths;

#define NETWORK_ID_DIGITS NAME_CONTAINER_ID_DIGITS

struct network_record {
	char *name, *driver;
	char id[NETWORK_ID_DIGITS + 1];
	uint64_t created_ns; /* CLOCK_REALTIME */
	bool attachable, ipv6;
	struct strv labels, options; /* "key=value" */
	struct strv subnets;         /* "SUBNET|RANGE|GATEWAY", as they were asked for */
};

void network_record_free(struct network_record *r);
#define _network_ __attribute__((cleanup(network_record_free)))

/* The caller fills all of *r but id and created_ns, which are set. -EEXIST: the name is taken. */
int network_create(const struct paths *p, struct network_record *r, struct err *e);
/* By its exact name. -ENOENT. */
int network_read(const struct paths *p, const char *name, struct network_record *ret,
		 struct err *e);
/* By name, id or the beginning of one id. -ENOENT; -ENOTUNIQ. */
int network_find(const struct paths *p, const char *operand, struct network_record *ret,
		 struct err *e);
/* Names in byte order. */
int network_list(const struct paths *p, struct strv *ret, struct err *e);
/* Only the record goes; the caller has looked for members. -ENOENT. */
int network_remove(const struct paths *p, const char *name, struct err *e);

/*
 * A process that changes networks or endpoints holds this lock from the look to the change. Returns
 * its descriptor, which the caller closes.
 */
int network_lock(const struct paths *p, struct err *e);

#endif
