/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_USAGE_UPDATE_H
#define CSBX_CMD_DOCKER_USAGE_UPDATE_H

struct docker_fault;
struct docker_run_args;
struct docker_target;
struct paths;
struct strv;

/*
 * Gives a container that stays other limits and another policy: those that `a` has, of memory,
 * CPUs and processes, and `restart`. They go into its record. A running container has them at once
 * if the mechanism that holds the limit can be told; else a warning says that they hold from the
 * next start on. 409: its other flags do not allow them.
 */
int docker_update(const struct paths *p, const struct docker_target *t,
		  const struct docker_run_args *a, struct strv *warnings, struct docker_fault *f);

#endif
