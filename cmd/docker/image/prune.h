/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_PRUNE_H
#define CSBX_CMD_DOCKER_IMAGE_PRUNE_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct paths;
struct strv;

/*
 * Removes images that no container uses: those without a name, or all. lines: the removed ones, as
 * image_delete() has them; *bytes gets the disk space they took. -EINVAL: a filter.
 */
int image_prune(const struct paths *p, bool all, const struct strv *filters, struct strv *lines,
		uint64_t *bytes, struct err *e);

#endif
