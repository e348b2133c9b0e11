/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DETACH_H
#define CSBX_CMD_DETACH_H

/* start -d, run -d. */

struct cmd;
struct run_opts;

/*
 * Runs o->spec, frozen, in a supervisor of its own that outlives this process, and prints the
 * instance's id when the command runs. Returns csbx's exit code.
 */
int run_detached(struct cmd *c, struct run_opts *o, const char *what);

#endif
