/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_RUN_ARGS_H
#define CSBX_CMD_DOCKER_RUN_ARGS_H

/*
 * The flags of `docker run` and `docker create`. Every flag that docker 28 has has a row, so that
 * none is "unknown": it is honoured, or accepted because nothing depends on it, with a warning
 * where somebody might think so, or refused with the reason (run_other.h).
 */

#include <stdbool.h>
#include <stdint.h>

#include "cmd/docker/container/run_other.h"
#include "cmd/frame/opt.h"
#include "runtime/base/str.h"

struct docker;
struct err;

struct docker_run_args {
	/* run only */
	bool detach, rm_is_set, no_sig_proxy;
	bool sig_proxy;

	bool interactive, tty, rm, init, read_only, quiet, no_healthcheck;
	const char *name, *cidfile, *hostname, *network, *user, *workdir, *entrypoint, *platform,
		*pull, *restart, *stop_signal, *ipc, *pid, *uts, *cgroupns, *userns, *runtime,
		*log_driver, *cpus;
	struct strv attach, env, env_files, labels, label_files, volumes, mounts, tmpfs, ulimits,
		cap_add, cap_drop, security, devices, add_hosts, dns, dns_search, dns_options,
		groups, publish, expose, sysctls;
	uint64_t memory_bytes, memory_reservation_bytes, shm_bytes, cpu_period, cpu_quota;
	int64_t memory_swap_bytes; /* -1: no limit, 0: not given */
	int64_t pids, stop_timeout_s;
	bool pids_is_set, stop_timeout_is_set;
	const char *other[DOCKER_OTHER_MAX];
};

extern const struct opt_table docker_run_table;    /* run only */
extern const struct opt_table docker_create_table; /* both: what the container is */
extern const struct opt_table docker_limits_table; /* both: how much it may use, where it is */
extern const struct opt_table docker_other_table;  /* both: run_other.h */

void docker_run_args_init(struct docker_run_args *a);
void docker_run_args_done(struct docker_run_args *a);

/*
 * What docker's command line and its daemon say of flags that do not fit together or hold what
 * cannot be: prints it. Returns 0 or the exit code.
 */
int docker_run_check(const struct docker *d, const struct docker_run_args *a);

/* Those of run_other.h: warns, or refuses. */
int docker_run_check_others(const struct docker *d, const struct docker_run_args *a);

/* The same flags as words of csbx's run options (run_opts.h). -EINVAL with docker's text. */
int docker_run_words(const struct docker_run_args *a, struct strv *out, struct err *e);

/* What inspect shows again (notes.h). */
int docker_run_notes(const struct docker_run_args *a, struct strv *out, struct err *e);

#endif
