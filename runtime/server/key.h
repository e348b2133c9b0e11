/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SQUASHD_KEY_H
#define CSBX_RUNTIME_SQUASHD_KEY_H

/* The starts that share an image server: the key of proto.h, its hash and the sharing domain. */

#include <stddef.h>

#include "runtime/server/proto.h"

struct err;

/* The batch job's variables of the environment; NULL = not set. */
struct batch_job {
	const char *slurm_job, *slurm_step, *slurm_node, *pbs_job, *lsf_job;
};

/*
 * The sharing domain from the text of /proc/self/cgroup: the path cut at a batch step; else the
 * path of our own cgroup with the job's ids appended where there are any. Containers that share a
 * server live and die together, and a batch system ends a step by its cgroup. Pure.
 */
void squashd_domain(const char *cgroups, size_t len, const struct batch_job *job,
		    char ret[SQUASHD_DOMAIN_MAX]);

/*
 * Fills key from the caller's surroundings: csbx-init's path, a descriptor of the user namespace.
 */
int squashd_key_fill(struct squashd_key *key, const struct container_spec *spec,
		     const struct id_map *map, const char *init, int userns_fd, struct err *e);

/* "0123456789abcdef.sock" */
void squashd_key_name(const struct squashd_key *key, char ret[SQUASHD_NAME_MAX]);

#endif
