/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_NEW_H
#define CSBX_CMD_DOCKER_NEW_H

/* A new container from the flags of run and create. */

#include "runtime/spec/name.h"

struct docker;
struct docker_run_args;

struct docker_new {
	char id[NAME_CONTAINER_ID_DIGITS + 1];
	char name[NAME_BYTES_MAX + 1];
};

/*
 * argv[0] is the image, the rest the command. Prints what is wrong, in docker's words; 0 or the
 * exit code.
 */
int docker_new(struct docker *d, const struct docker_run_args *a, int argc, char **argv,
	       struct docker_new *ret);

#endif
