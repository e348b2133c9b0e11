/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_REGISTRY_H
#define CSBX_IMAGE_REGISTRY_H

/*
 * The room image/registry. Asking registries.
 *
 * In: a reference; blobs and manifests to send. Out: verified manifests, blobs as bytes.
 *
 *	registry.h		what there is to ask; priv.h lists its parts
 *	transfer.h		several blobs at once, gone on with where they broke
 *	transport.h, url.h, certs.h: one request
 *	auth.h, http_value.h	what a server says
 *	options.h		what a user may settle
 *
 * Must: cap answers and times.
 * Mustn't: send credentials to another host than the one they are for.
 */

/*
 * Images from and to a registry (OCI distribution specification 1.1, "Pull", "Push"; docker's registry
 * token authentication). A struct registry stands for one repository in one registry, or in its
 * mirrors, which are asked first. Everything here may be called from several threads; it waits
 * and tries again as the options say, and an error that is returned is one sentence: which
 * registry, which reference, what it answered and what to do.
 *
 * Manifests come verified. Blobs come as bytes: the store verifies them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/registry/options.h"
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
 * The manifest that the reference stands for now (its digest, or else its tag), without fetching
 * it: Docker Hub does not count that. -ENODATA where the registry does not tell:
 * registry_get_manifest() gets it, or the reason.
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
	bool foreign; /* the manifest names other places for it: for the message when it is
		       * missing */
	int (*sink)(void *arg, const void *data, size_t len, struct err *e);
	void *arg;
};
int registry_get_blob(struct registry *r, const struct registry_blob *blob, struct err *e);

/*
 * Asks for nothing but an answer. 1: the registry wanted credentials and took those it got, 0: it
 * wanted none.
 */
int registry_ping(struct registry *r, struct err *e);

/*
 * Sending (distribution specification, "Push"), to the registry itself: it is opened without
 * mirrors.
 */
enum registry_sent { REGISTRY_SENT, REGISTRY_WAS_THERE, REGISTRY_MOUNTED };

struct registry_upload {
	struct digest digest;
	uint64_t size_bytes;
	int fd;                 /* the bytes, read by pread(2) */
	const char *mount_from; /* a repository of that registry that may have it; NULL: none */
	void (*progress)(void *arg, uint64_t sent_bytes); /* NULL: not */
	void *arg;
	const _Atomic bool *stop; /* true: no further piece is sent, -ECANCELED. NULL: all are */
};

/*
 * A blob, unless it is there: in pieces, gone on from where a break left the registry. Returns
 * enum registry_sent.
 */
int registry_put_blob(struct registry *r, const struct registry_upload *u, struct err *e);

/* A manifest under the reference's tag. */
int registry_put_manifest(struct registry *r, const char *media_type, const void *text, size_t len,
			  struct err *e);

#endif
