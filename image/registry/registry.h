/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_REGISTRY_H
#define CSBX_IMAGE_REGISTRY_H

/*
 * Reading images from a registry (OCI distribution specification 1.1, "Pull"; docker's registry
 * token authentication). A struct registry stands for one repository in one registry, or in its
 * mirrors, which are asked first. Everything here may be called from several threads; it waits
 * and tries again as the options say, and an error that is returned is one sentence: which
 * registry, which reference, what it answered and what to do.
 *
 * Manifests come verified. Blobs come as bytes: whoever stores them verifies them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/registry/registry_options.h"
#include "image/model/source.h"

struct err;
struct image_ref;

struct registry;

int registry_open(struct registry **ret, const struct image_ref *ref,
		  const struct registry_options *o, struct err *e);
/* The same for a registry as such (HOST[:PORT]), without mirrors: there is only registry_ping(). */
int registry_open_host(struct registry **ret, const char *name, const struct registry_options *o,
		       struct err *e);
void registry_close(struct registry **r);
#define _registry_ __attribute__((cleanup(registry_close)))

struct registry_manifest {
	struct strbuf text; /* verbatim; empty after registry_head() */
	char *media_type;   /* NULL: the registry named none that is an image's */
	struct digest digest;
	uint64_t size_bytes; /* UINT64_MAX: unknown */
};
void registry_manifest_free(struct registry_manifest *m);
#define _registry_manifest_ __attribute__((cleanup(registry_manifest_free)))

/*
 * What the reference stands for now (its digest, or else its tag), without fetching it: Docker
 * Hub does not count that. -ENODATA where the registry does not tell: registry_get_manifest() gets
 * it, or the reason.
 */
int registry_head(struct registry *r, struct registry_manifest *ret, struct err *e);

/* The manifest or index: want's, or what the reference stands for when want is NULL. */
int registry_get_manifest(struct registry *r, const struct digest *want,
			  struct registry_manifest *ret, struct err *e);

/*
 * The bytes of a blob from offset up to size_bytes, in order and each once, whatever breaks on
 * the way. A sink that fails ends it with its error. -EBADMSG when the registry's blob is of
 * another size.
 */
struct registry_blob {
	struct digest digest;
	uint64_t offset, size_bytes;
	bool foreign; /* the manifest names other places for it: for the message when it is missing
		       */
	int (*sink)(void *arg, const void *data, size_t len, struct err *e);
	void *arg;
};
int registry_get_blob(struct registry *r, const struct registry_blob *blob, struct err *e);

/*
 * Asks for nothing but an answer. 1: the registry wanted credentials and took those it got, 0: it
 * wanted none.
 */
int registry_ping(struct registry *r, struct err *e);

#endif
