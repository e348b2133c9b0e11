/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_USAGE_TOP_H
#define CSBX_CMD_DOCKER_USAGE_TOP_H

/*
 * The processes of a container as ps(1) of the host shows them: ps has the caller's options, and of
 * its lines those of the container's processes are taken, as docker's daemon does it.
 */

#include <stddef.h>

struct docker_fault;
struct docker_target;
struct paths;
struct strv;

struct docker_top {
	struct strv *rows; /* the first has the titles */
	size_t n;
};
#define _docker_top_ __attribute__((cleanup(docker_top_free)))

/* words: the options of ps, none: "-ef". 409: it does not run; 400: with the message of ps. */
int docker_top(const struct paths *p, struct docker_target *t, const struct strv *words,
	       struct docker_top *ret, struct docker_fault *f);
void docker_top_free(struct docker_top *t);

#endif
