/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_BUILD_PRUNE_H
#define CSBX_CMD_IMAGE_BUILD_PRUNE_H

/* Giving up what builds have kept (cmd/build/cache.h). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/options/build_sweep.h"

struct err;
struct paths;

/* The parts that are removed: all zero, everything. */
struct build_prune {
	uint64_t unused_s;   /* only what was not used for so long; 0: all */
	uint64_t keep_bytes; /* the last used stay, as far as they fit */
	bool keeps;
	bool dry_run;
};
/* "until=24h" or "unused-for=24h"; -EINVAL for another filter. */
int build_prune_filter(struct build_prune *p, const char *text, struct err *e);
/* "10GB". */
int build_prune_keep(struct build_prune *p, const char *text, struct err *e);

/* How many entries builds keep, and the bytes that a prune of all of them frees. */
int build_cache_usage(const struct paths *p, size_t *ret_n, uint64_t *ret_bytes, struct err *e);

/* -EBUSY while a build runs. Adds the bytes that went to *ret_bytes. */
int build_cache_prune(const struct paths *p, const struct build_prune *how, uint64_t *ret_bytes,
		      struct err *e);

#endif
