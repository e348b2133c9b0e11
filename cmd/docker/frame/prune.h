/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_PRUNE_H
#define CSBX_CMD_DOCKER_PRUNE_H

/*
 * The work of the prune verbs of containers, volumes and images, each for itself and together for
 * `system prune`. A function adds "Deleted Containers:" and a line for each removed object to out,
 * or nothing where there was none, and adds the disk space they took to *bytes.
 */

#include <stdbool.h>
#include <stdint.h>

struct docker;
struct err;
struct strbuf;
struct strv;

int docker_prune_containers(struct docker *d, const struct strv *filters, struct strbuf *out,
			    uint64_t *bytes, struct err *e);
/* all: not only the anonymous ones. */
int docker_prune_volumes(struct docker *d, bool all, const struct strv *filters, struct strbuf *out,
			 uint64_t *bytes, struct err *e);
/* all: not only those without a name. In csbx-image. */
int docker_prune_images(struct docker *d, bool all, const struct strv *filters, struct strbuf *out,
			uint64_t *bytes, struct err *e);

/*
 * The end of each of these verbs: prints what went and "Total reclaimed space: 0B", after an empty
 * line where something went; or the error, when r is below 0. The exit code.
 */
int docker_prune_end(struct strbuf *out, uint64_t bytes, int r, const struct err *e);

#endif
