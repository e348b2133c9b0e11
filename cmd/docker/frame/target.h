/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TARGET_H
#define CSBX_CMD_DOCKER_TARGET_H

/*
 * What an operand of exec, stop, kill and their kin stands for: a container that stays, or a start
 * of csbx's own (a recipe or an image that runs), which is known by its instance only.
 */

#include <stdbool.h>

#include "runtime/record/container_find.h"
#include "runtime/record/instance.h"

struct docker;
struct err;

struct docker_target {
	struct container_found found; /* name is empty for a start of an image */
	bool stays;
	bool has_instance; /* of what does not stay */
	struct instance_record instance;
};

/* -ENOENT and others with docker's text in e. */
int docker_target_open(const struct docker *d, const char *operand, struct docker_target *ret,
		       struct err *e);
void docker_target_close(struct docker_target *t);
/* The id that messages show: 64 digits, or the instance's. */
const char *docker_target_id(const struct docker_target *t);
/* The live instance, for exec and attach. -ESRCH with "container ID is not running". */
int docker_target_instance(const struct docker *d, struct docker_target *t, struct err *e);

/*
 * For verbs over several operands: fn does one; what succeeds is printed as it was typed, at
 * once. Of one that is not there docker says `missing` first, where it is given. Returns the exit
 * code.
 */
typedef int docker_each_fn(struct docker *d, struct docker_target *t, const char *operand,
			   void *arg, struct err *e);
int docker_each(struct docker *d, int argc, char **argv, docker_each_fn *fn, void *arg,
		const char *missing);

#endif
