/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_INSPECT_CONTAINER_H
#define CSBX_CMD_DOCKER_INSPECT_CONTAINER_H

/*
 * A container as GET /containers/NAME/json of the Engine API describes it (version 1.47). A member
 * that csbx has nothing for is there with the value that says so.
 */

#include <stdbool.h>

#include "runtime/life/container_state.h"
#include "runtime/server/image_meta.h"
#include "runtime/spec/spec.h"

struct err;
struct paths;
struct docker_value;

/* By name, id or beginning of an id. -ENOENT; -ENOTUNIQ. size: SizeRw and SizeRootFs as well. */
int inspect_container(const struct paths *p, const char *operand, bool size,
		      struct docker_value **ret, struct err *e);

/* The parts that the object is made of. */
struct inspected {
	const struct paths *paths;
	const struct container_view *view;
	const struct container_record *record; /* never NULL: an empty one where there is none */
	struct container_spec spec;            /* zeros where there is none */
	struct image_meta meta;                /* likewise */
};

void inspect_add_config(struct docker_value *root, const struct inspected *x);
void inspect_add_host_config(struct docker_value *root, const struct inspected *x);
void inspect_add_mount_flags(struct docker_value *host, const struct inspected *x);
void inspect_add_mounts(struct docker_value *root, const struct inspected *x);
void inspect_add_network(struct docker_value *root, const struct inspected *x);

/* "8000/tcp" -> where it can be reached, or as it was asked for: a map of lists. */
void inspect_add_ports(struct docker_value *parent, const char *key, bool asked,
		       const struct inspected *x);

/* "host", "none", or the name that was asked for and means one of them. */
const char *inspect_network(const struct inspected *x);

#endif
