/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_EACH_H
#define CSBX_CMD_DOCKER_EACH_H

/*
 * Verbs over several containers: fn does one; the operand is printed at once, as it was typed, when
 * it succeeds. For an operand that is not there docker prints `missing` first, where it is given.
 * Returns the exit code.
 */

struct docker;
struct docker_fault;
struct docker_target;

typedef int docker_each_fn(struct docker *d, struct docker_target *t, const char *operand,
			   void *arg, struct docker_fault *f);
int docker_each(struct docker *d, int argc, char **argv, docker_each_fn *fn, void *arg,
		const char *missing);

#endif
