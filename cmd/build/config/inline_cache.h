/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_CONFIG_INLINE_CACHE_H
#define CSBX_CMD_BUILD_CONFIG_INLINE_CACHE_H

/*
 * The steps that an image is made of, told in its configuration, so that a build which names the
 * image with --cache-from finds them where its own cache has lost them. A member of the whole
 * configuration, which other programs pass over:
 *
 *	"csbx.build.cache.v1": {"key": "KEY", "steps": [{"step": "KEY.ID", "diff_id": "sha256:..."}]}
 *
 * A step is told with the layer that holds its files, and without one where it changed no file.
 * Steps come in their order, and those behind the last one told have a layer that holds more than
 * one of them.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct strbuf;

#define INLINE_CACHE_MEMBER "csbx.build.cache.v1"
#define INLINE_KEY_BYTES 65             /* 64 hex digits and a NUL */
#define INLINE_STEP_BYTES (65 + 1 + 12) /* a key, a dot, an id of 12 hex digits, a NUL */
#define INLINE_STEPS_MAX 1024u
#define INLINE_DIGEST_BYTES 160

struct inline_step {
	char step[INLINE_STEP_BYTES];
	char diff_id[INLINE_DIGEST_BYTES]; /* "": it changed no file */
};

struct inline_cache {
	char key[INLINE_KEY_BYTES]; /* of the whole image */
	struct inline_step *items;
	size_t n;
};

/* -ENODATA: the configuration tells none. -EBADMSG: what it tells is no such thing. */
int inline_cache_parse(const void *config, size_t len, struct inline_cache *ret, struct err *e);
/* The member's value. */
int inline_cache_format(const struct inline_cache *c, struct strbuf *out, struct err *e);

/* diff_id NULL: it changed no file. -EINVAL: the step's name is none that can be told. */
int inline_cache_add(struct inline_cache *c, const char *step, const char *diff_id, struct err *e);
/* The first step of that key; NULL: there is none. */
const struct inline_step *inline_cache_find(const struct inline_cache *c, const char *key);

void inline_cache_free(struct inline_cache *c);
#define _inline_cache_ __attribute__((cleanup(inline_cache_free)))

#endif
