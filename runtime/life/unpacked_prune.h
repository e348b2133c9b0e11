/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_UNPACKED_PRUNE_H
#define CSBX_RUNTIME_UNPACKED_PRUNE_H

/* The trees of unpacked images (runtime/server/unpacked.h): how large they are, giving them up. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct paths;

/* free: of those that no start uses now. Nothing where there is no such directory. */
int unpacked_survey(const struct paths *p, size_t *ret_n, uint64_t *ret_bytes, uint64_t *ret_free,
		    struct err *e);

/*
 * Removes the trees that no start uses and no start has used for unused_s seconds, and those whose
 * image is gone or changed. Adds the bytes that went, or with dry_run would go, to *ret_freed.
 */
int unpacked_prune(const struct paths *p, uint64_t unused_s, bool dry_run, uint64_t *ret_freed,
		   struct err *e);

/* Removes a tree and its lock, which the caller holds. */
int unpacked_remove(int dirfd, const char *key, struct err *e);
/* True for the name of a tree: numbers in hexadecimal with dashes between. */
bool unpacked_is_key(const char *name);

#endif
