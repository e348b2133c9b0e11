/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_USAGE_PRUNE_H
#define CSBX_CMD_DOCKER_USAGE_PRUNE_H

#include <stdint.h>

struct docker_fault;
struct paths;
struct strv;

/*
 * Removes the containers that do not run and that the filters ("key=value") choose, but none that
 * csbx's own verbs have made to stay (recipes): those are not docker's. Adds their ids, and what
 * they held to *bytes. 400: a filter that there is not.
 */
int docker_container_prune(const struct paths *p, const struct strv *filters, struct strv *ret_ids,
			   uint64_t *bytes, struct docker_fault *f);

#endif
