/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_RUN_FLAGS_H
#define CSBX_CMD_DOCKER_RUN_FLAGS_H

/* The flags of `docker run` and `docker create`: rows over a struct docker_run_args. */

#include "cmd/docker/daemon/run_args.h"
#include "cmd/frame/opt.h"

extern const struct opt_table docker_run_table;    /* run only */
extern const struct opt_table docker_create_table; /* both: what the container is */
extern const struct opt_table docker_limits_table; /* both: how much it may use, where it is */
extern const struct opt_table docker_other_table;  /* both: run_other.h */

#endif
