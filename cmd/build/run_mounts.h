/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_RUN_MOUNTS_H
#define CSBX_CMD_BUILD_RUN_MOUNTS_H

/*
 * The things that a RUN sees besides its files: the mounts it asks for, --add-host, and a file that
 * keeps apt from becoming another user where there is none.
 */

struct build;
struct build_stage;
struct container_spec;
struct err;
struct instruction;

struct run_mounts {
	int locks[8]; /* of caches that one step may use at a time */
	unsigned n_locks;
};

int run_mounts_add(struct build *b, const struct build_stage *s, const struct instruction *i,
		   struct container_spec *spec, struct run_mounts *m, struct err *e);
void run_mounts_done(struct run_mounts *m);

#endif
