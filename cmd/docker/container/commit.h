/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_COMMIT_H
#define CSBX_CMD_DOCKER_COMMIT_H

/* An image of a container's files, for docker's command line and for the Engine API. */

#include <stdbool.h>

#include "image/table/table.h"

struct docker;
struct err;
struct image_change;
struct strv;

struct docker_commit {
	const char *name; /* canonical; NULL: the image gets none */
	const struct strv *changes;
	const char *author, *message; /* NULL: none */
	bool pause;
	/* Changes the container's configuration before `changes` are made to it; NULL allowed. */
	int (*configure)(void *arg, struct image_change *config, struct err *e);
	void *arg;
};

/* -ENOENT: no such container; -EINVAL: a change that is none. */
int docker_commit_container(struct docker *d, const struct docker_commit *how, const char *operand,
			    char ret_id[IMAGE_ID_BYTES], struct err *e);

#endif
