/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_CREATE_H
#define CSBX_CMD_DOCKER_CREATE_H

/*
 * A new container. In: a request (run_args.h). Out: its id and name; nothing of it runs yet.
 * docker's defaults come first, then what the configuration says, then the request; then everything
 * is frozen and written down as a container that stays.
 */

#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/spec/name.h"

struct cmd;
struct docker_fault;
struct docker_run_args;

struct docker_created {
	char id[NAME_CONTAINER_ID_DIGITS + 1];
	char name[NAME_BYTES_MAX + 1];
	struct strv warnings;
	struct path_places programs; /* its writable mounts: path_open_output() */
};

/*
 * c: configuration and paths. 404 from ERR_NO_IMAGE: the image is not there, and it is not fetched;
 * 409: the name is taken; 400: a container like that cannot be. docker_created_free() in any case.
 */
int docker_create(struct cmd *c, const struct docker_run_args *a, struct docker_created *ret,
		  struct docker_fault *f);
void docker_created_free(struct docker_created *n);

#endif
