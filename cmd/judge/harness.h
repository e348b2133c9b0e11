/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_HARNESS_H
#define CSBX_CMD_EVAL_HARNESS_H

/*
 * The Python that runs inside judged containers (cmd/harness): in a build tree and installed, the
 * directory `harness` beside this program.
 */

struct container_spec;
struct err;

#define HARNESS_TARGET "/run/csbx-harness"

/*
 * Adds a read-only mount of it at HARNESS_TARGET. After the site's policy has been applied: the
 * mount is csbx's own, not one that the user asked for.
 */
int harness_mount(struct container_spec *s, struct err *e);

#endif
