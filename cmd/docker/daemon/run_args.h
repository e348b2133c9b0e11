/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_RUN_ARGS_H
#define CSBX_CMD_DOCKER_RUN_ARGS_H

/*
 * The request for a container: the flags of `docker run` and `docker create`, and the body of POST
 * /containers/create in the same words. Every flag that docker 28 has has a place, so that none is
 * "unknown": it is honoured, or accepted because nothing depends on it, with a warning where one
 * might think so, or refused with the reason (run_unsupported.h). Strings that are not in a strv
 * are the caller's.
 */

#include <stdbool.h>
#include <stdint.h>

#include "cmd/docker/daemon/run_unsupported.h"
#include "runtime/base/str.h"

struct docker_fault;
struct cmd;
struct container_spec;
struct err;

struct docker_run_args {
	/* the command line's own; nothing here reads them */
	bool detach, sig_proxy, quiet;
	const char *cidfile, *pull;

	const char *image;
	struct strv command;         /* empty: the image's */
	struct strv entrypoint_args; /* words of the entrypoint behind its first, `entrypoint` */
	struct strv health_test;     /* CMD or CMD-SHELL, and the words; empty: health_cmd's */
	bool interactive, tty, rm, init, read_only, no_healthcheck;
	const char *name, *hostname, *network, *user, *workdir, *entrypoint, *platform, *restart,
		*stop_signal, *ipc, *pid, *uts, *cgroupns, *userns, *runtime, *log_driver, *cpus;
	struct strv attach, env, env_files, labels, label_files, volumes, mounts, tmpfs, ulimits,
		cap_add, cap_drop, security, devices, add_hosts, dns, dns_search, dns_options,
		groups, publish, expose, sysctls;
	struct strv volumes_from;           /* "CONTAINER[:MODES]" */
	struct strv network_aliases, links; /* of `network`; links: "CONTAINER:NAME" */
	/* Further networks: "network=NAME", then "alias=", "link=", "address=" of that one. */
	struct strv endpoints;
	uint64_t memory_bytes, memory_reservation_bytes, shm_bytes, cpu_period, cpu_quota;
	int64_t memory_swap_bytes; /* -1: no limit, 0: not given */
	int64_t pids, stop_timeout_s;
	uint32_t tty_rows, tty_columns; /* of the terminal at first; 0: not told */
	const char *other[DOCKER_OTHER_MAX];
};

void docker_run_args_init(struct docker_run_args *a);
void docker_run_args_done(struct docker_run_args *a);

/*
 * The errors of docker's two programs for words that do not fit together or have an impossible
 * value.
 */
int docker_run_check(const struct docker_run_args *a, struct docker_fault *f);
/*
 * Docker's defaults that the user left open give way to the site's policy, before more is derived
 * from them. has_networks: networks of the user's were named.
 */
int docker_defaults_settle(const struct cmd *c, const struct docker_run_args *a, bool has_networks,
			   struct container_spec *s, struct err *e);

/* Flags that are accepted and have no effect: a sentence each, without "WARNING: ". */
int docker_run_warnings(const struct docker_run_args *a, struct strv *out, struct err *e);

/* Each value by itself (run_values.c): -EINVAL with the command line's text. */
int docker_check_values(const struct docker_run_args *a, struct err *e);
int docker_check_add_host(const char *value, struct err *e);
int docker_check_dns(const char *value, struct err *e);
int docker_check_ulimit(const char *value, struct err *e);
int docker_check_sysctl(const char *value, struct err *e);
int docker_check_label(const char *value, struct err *e);

/* Those of run_unsupported.h. */
int docker_run_check_others(const struct docker_run_args *a, struct docker_fault *f);
void docker_run_warn_others(const struct docker_run_args *a, struct strv *out);

/* The same flags for opt_apply(): each option's name, then its value (run_opts.h). */
int docker_run_options(const struct docker_run_args *a, struct strv *out, struct err *e);

/* Adds the notes of words that inspect shows again (notes.h). */
int docker_run_notes(const struct docker_run_args *a, struct strv *out, struct err *e);

#endif
