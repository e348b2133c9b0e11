/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_MSG_H
#define CSBX_RUNTIME_INIT_MSG_H

/* The supervisor's side of init_abi.h: builds the message, reads the answers. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/helpers/init/abi/init_abi.h"

struct process_spec;
struct container_spec;
struct id_map;
struct process_spec;
struct strbuf;
struct strv;
struct err;

struct init_msg_params {
	bool exec;       /* join the running container (INIT_EXEC) */
	bool has_cgroup; /* a descriptor for the payload's cgroup goes along */
	bool is_lane;    /* INIT_LANE */
	bool is_spare;   /* INIT_SPARE */
	uint32_t umask;
	uint32_t oom_score_adj;
	/* Alone (INIT_BARE, or with exec INIT_JOIN); complaint NULL: not. */
	const char *complaint;
	uint32_t failure_code, n_join_fds;
};

/*
 * Appends the message for spec's process to out. map is not looked at with exec, which may say
 * NULL.
 */
int init_msg_build(const struct container_spec *spec, const struct id_map *map,
		   const struct init_msg_params *params, struct strbuf *out, struct err *e);

/*
 * Appends the message that puts p into a running container: the protections of the main process,
 * from the message that started it (checked, init_msg_check()), with p's words, directory, user and
 * terminal. more_flags: INIT_TTY and its kin, INIT_WARM, or 0.
 */
int init_msg_build_exec(const struct init_msg *start, const struct process_spec *p,
			uint32_t more_flags, struct strbuf *out, struct err *e);

/* Replaces the environment in the message of *fd by env: *fd becomes another sealed memfd. */
int init_msg_replace_env(int *fd, const struct strv *env, struct err *e);

/* A sealed memfd with the message, O_CLOEXEC. */
int init_msg_memfd(const struct strbuf *msg, struct err *e);

/* "no new privileges", "seccomp filter", ...; "?" for an unknown stage. */
const char *init_stage_name(uint32_t stage);

/*
 * Text for a failed start of proc into *e; returns csbx's exit code: 127 command not found, 126
 * found but not executable, 125 a stage before execve failed.
 */
int init_status_error(const struct init_status *st, const struct process_spec *proc, struct err *e);

#endif
