/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_DIGEST_H
#define CSBX_IMAGE_DIGEST_H

/*
 * Content digests as the OCI image specification writes them (image-spec descriptor.md,
 * "Digests"): "sha256:" and 64 or "sha512:" and 128 lower-case hex digits. A struct digest
 * that came out of digest_parse() is safe to use as a path component.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;

#define DIGEST_HEX_MAX 128
struct digest {
	char alg[16];                 /* "sha256" or "sha512"; "" = none is known */
	char hex[DIGEST_HEX_MAX + 1]; /* lower case */
};

#define DIGEST_TEXT_MAX (16 + 1 + DIGEST_HEX_MAX + 1)

/* Accepts the two algorithms in their one spelling; anything else is -EINVAL, naming the fault. */
int digest_parse(const char *text, struct digest *ret, struct err *e);

/* True for a digest that is known at all (alg not ""). */
bool digest_is_set(const struct digest *d);

/* Two known digests of the same algorithm and value; unknown ones equal nothing. */
bool digest_equal(const struct digest *a, const struct digest *b);

/* "sha256:...", or "" for an unknown digest; returns buf. */
const char *digest_format(const struct digest *d, char buf[DIGEST_TEXT_MAX]);

/* A running hash. Init, update any number of times, then final or free; both leave it empty. */
struct digest_ctx {
	void *impl; /* NULL: not started */
	char alg[16];
	bool failed;
};
#define DIGEST_CTX_INIT \
	{               \
		0       \
	}

/* alg "sha256" or "sha512"; "" stands for sha256. */
int digest_init(struct digest_ctx *c, const char *alg, struct err *e);
/* Does nothing on a context that was not started; a failure sticks until digest_final(). */
void digest_update(struct digest_ctx *c, const void *data, size_t len);
int digest_final(struct digest_ctx *c, struct digest *ret, struct err *e);
void digest_free(struct digest_ctx *c);
#define _digest_ctx_ __attribute__((cleanup(digest_free)))

/* sha256 of a buffer. */
int digest_of(const void *data, size_t len, struct digest *ret, struct err *e);

/* Hashes the buffer by want's algorithm; -EBADMSG naming both digests when they differ. */
int digest_verify(const void *data, size_t len, const struct digest *want, struct err *e);

#endif
