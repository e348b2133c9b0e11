/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_REPOS_H
#define CSBX_CMD_IMAGE_REPOS_H

/*
 * Repositories that `csbx test --clone` keeps below repos/ in the cache: NAME.git, the URL with %XX
 * for what is no letter, digit, dot or dash. A run that uses one holds NAME.use (shared), one that
 * fetches into it NAME.lock; its time of modification is when it was last used.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct paths;
struct strbuf;

struct repo {
	char *name; /* of the directory, without .git */
	char *url;
	uint64_t bytes, used_s;
};

struct repos {
	struct repo *items;
	size_t n;
};

/* None where there is no such directory. */
int repos_read(const struct paths *p, struct repos *ret, struct err *e);
void repos_free(struct repos *r);
#define _repos_ __attribute__((cleanup(repos_free)))

/*
 * Removes those that were not used for unused_s seconds and are not in use; their URLs are added to
 * out, a line each, with dry_run too.
 */
int repos_prune(const struct paths *p, uint64_t unused_s, bool dry_run, struct strbuf *out,
		uint64_t *ret_freed_bytes, struct err *e);

#endif
