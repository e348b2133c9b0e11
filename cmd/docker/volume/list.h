/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VOLUME_LIST_H
#define CSBX_CMD_DOCKER_VOLUME_LIST_H

/* The volumes that filters ("key=value") choose: to be listed, and to be removed. */

#include <stdbool.h>
#include <stdint.h>

struct docker_fault;
struct paths;
struct strv;

/* Adds their names, in byte order. 400: a filter that there is not. */
int docker_volume_list(const struct paths *p, const struct strv *filters, struct strv *ret,
		       struct docker_fault *f);
/* The filters of prune; `all=true` among them sets *all. */
int docker_volume_check_prune(const struct strv *filters, bool *all, struct docker_fault *f);
/*
 * Removes those that no container has, anonymous ones only unless all; adds their names, and what
 * they held to *bytes.
 */
int docker_volume_prune(const struct paths *p, bool all, const struct strv *filters,
			struct strv *ret, uint64_t *bytes, struct docker_fault *f);

#endif
