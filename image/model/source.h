/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SOURCE_H
#define CSBX_IMAGE_SOURCE_H

/*
 * An image as some source presents it, the same for every source: the config blob, and layers
 * bottom to top, each of which can be read twice. A source (layout, archive, rootfs tar, rootfs
 * directory, later a registry's cache) fills this; the import pipeline reads it and knows no
 * source. Everything in it is foreign data whose digests the pipeline still has to verify,
 * except that the config was checked against the manifest.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/source/engine.h"
#include "image/import/index_ahead.h"
#include "image/registry/registry_options.h"
#include "runtime/base/str.h"

struct err;

#define DIGEST_HEX_MAX 128
struct digest {
	char alg[16];                 /* "sha256" or "sha512"; "" = none is known */
	char hex[DIGEST_HEX_MAX + 1]; /* lower case */
};

enum layer_kind { LAYER_TAR, LAYER_DIRECTORY };

struct source_layer {
	enum layer_kind kind;
	struct digest digest;    /* of the bytes as stored; alg "" when there is none to check */
	uint64_t size_bytes;     /* as the manifest says; UINT64_MAX unknown */
	struct digest diff_id;   /* of the tar; alg "" when there is none */
	int fd;                  /* LAYER_TAR: a file to pread; LAYER_DIRECTORY: the directory */
	uint64_t offset, length; /* LAYER_TAR: where in fd the stored bytes lie */
	bool owns_fd;
};

struct image_source {
	char *ref;              /* as the user wrote it, for provenance and messages */
	char *name;             /* default name of the output without ".sqsh", enroot's rule */
	struct strbuf config;   /* OCI or docker config JSON, verbatim; empty: none */
	struct strbuf manifest; /* manifest JSON, verbatim; empty: none */
	struct digest manifest_digest, config_digest;
	struct source_layer *layers;
	size_t n_layers;
	int *fds; /* further descriptors to close with the source */
	size_t n_fds;
	/*
	 * The layers are an image csbx made before, with its /.csbx (container_source.h). Bit n:
	 * enroot's file n (enroot_meta.h) in them is what csbx generated, not the image's own.
	 */
	bool is_our_image;
	unsigned our_enroot_files;
	struct store *store; /* what the layers are kept in, with their indexes; NULL: none */
};

struct store;
struct transfer;

struct source_options {
	const char *arch,
		*platform; /* --arch (uname or GOARCH names), --platform os/arch[/variant] */
	int tmp_dirfd;     /* where a pipe or a compressed archive may be spooled (unlinked) */
	bool all_root;
	struct registry_options registry;
	struct store *store; /* where what registries give is kept; outlives the source */
	bool offline;        /* nothing but what the store has */
	/* Layers are indexed while they come, for an import with these options; 0 threads: not. */
	struct index_ahead_options index;
	/* Another process fetches a blob, `have` bytes of it so far. NULL: none. */
	void (*waiting)(void *arg, const struct digest *d, uint64_t have_bytes,
			uint64_t size_bytes);
	void (*transfer_progress)(void *arg, const struct transfer *t); /* NULL: none */
	void *progress_arg;
	struct engine_options engine;
};

/*
 * Opens URI: oci:DIR[:ref|@sha256:..], oci-archive:F[:ref], docker-archive:F[:ref|@idx], tar:F,
 * "-" (stdin), dir:D, dockerd://IMAGE, podman://IMAGE, docker://REF, a bare path whose kind is
 * sniffed, or a bare reference. Errors name the URI's part at fault.
 */
int source_open(struct image_source *s, const char *uri, const struct source_options *o,
		struct err *e);
void source_close(struct image_source *s);

/* The name that source_open() will set, where only the network tells more: NULL for other kinds. */
char *source_name_unopened(const char *uri);

/* Whether source_open() wants a store for it. */
bool source_needs_store(const char *uri);

/*
 * The digest of the manifest source_open() would take, looking at nothing that it lists. -ENODATA
 * for sources that have no manifest.
 */
int source_digest(const char *uri, const struct source_options *o, struct digest *ret,
		  struct err *e);

/*
 * After an import that failed by -EBADMSG: reads the layers that came from a store and makes it
 * forget the damaged ones. How many; then it is worth another try.
 */
size_t source_drop_damaged(struct image_source *s);

#endif
