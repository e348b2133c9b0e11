/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_RUN_FLAGS_H
#define CSBX_CMD_DOCKER_RUN_FLAGS_H

/*
 * The room cmd/docker/container. docker's verbs about containers.
 *
 * In: parsed arguments. Out: containers that run and end, what they say and hold.
 *
 *	run.c exec.c ps.c ...	a verb in a file of its name
 *	run_flags.h, run_client.h, pull_image.h: the flags of run and create
 *	start_attached.h, attached.h	a container with this process attached
 *	inspect_container.h, ps_row.h: what is shown
 *	commit_delta.h, pause_hold.h, each.h: what several verbs need
 *
 * Must: parse and print; what a daemon would do is in cmd/docker/daemon.
 * Mustn't: decide what a flag means twice.
 */

/* The flags of `docker run` and `docker create`: rows over a struct docker_run_args. */

#include "cmd/docker/daemon/run_args.h"
#include "cmd/frame/opt.h"

extern const struct opt_table docker_run_table;    /* run only */
extern const struct opt_table docker_create_table; /* both: what the container is */
extern const struct opt_table docker_limits_table; /* both: how much it may use, where it is */
extern const struct opt_table docker_other_table;  /* both: run_unsupported.h */

/* Functions that read the values of some flags, for `docker update`. */
int docker_flag_memory_swap(void *bytes, const char *value, struct err *e);
int docker_flag_count(void *uint64, const char *value, struct err *e);
int docker_flag_cpus(void *cpus, const char *value, struct err *e);

#endif
