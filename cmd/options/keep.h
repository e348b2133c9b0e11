/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_KEEP_H
#define CSBX_CMD_KEEP_H

/* Containers that stay: made by `create --keep` and `run --keep`, started by `start`. */

#include <stdbool.h>

struct cmd;
struct container_found;
struct err;
struct run_opts;
struct run_request;

struct keep_opts {
	bool keep, auto_remove;
	const char *owner; /* --owner, or NULL */
	const char *name;  /* NULL: the id that it gets */
};

extern const struct opt_table keep_table;

/* create --keep, run --keep: prints the id with `start` only when it is detached. */
int keep_create(struct cmd *c, const struct run_request *q, const struct keep_opts *k,
		struct run_opts *o, bool start);

/* Starts it, attached or not; takes found->record. Returns the exit code, messages are printed. */
int keep_start(struct cmd *c, struct container_found *found, bool is_detached, bool force);

#endif
