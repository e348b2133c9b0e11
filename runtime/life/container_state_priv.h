/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_STATE_PRIV_H
#define CSBX_RUNTIME_CONTAINER_STATE_PRIV_H

/* Shared by container_state.c, container_each.c and container_wait.c. */

#include "runtime/life/container_state.h"

struct run_dir;
struct run_state;

/* All but the pid. */
int container_state_at(int containers, const char *name, const struct container_record *rec,
		       struct container_state *ret, struct err *e);
int container_state_of_run(const struct run_dir *d, struct container_state *ret, struct err *e);
void container_state_from_run(const struct run_state *s, bool live, struct container_state *ret);
/* A run that was not ended becomes one that was killed. */
void container_state_killed(struct run_state *s, uint64_t last_ns);

#endif
