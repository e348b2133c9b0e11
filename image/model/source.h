/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SOURCE_H
#define CSBX_IMAGE_SOURCE_H

/*
 * The room image/model. An image as the rest of image/ sees it.
 *
 * In: foreign names and digests. Out: the same, checked.
 *
 *	source.h		a configuration and layers, wherever they come from
 *	digest.h, layer_path.h, engine_name.h: digests, names in a layer, names of engines
 *
 * Must: be the only form in which a source gives an image.
 * Mustn't: know one source.
 */

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

#include "image/model/digest.h"
#include "runtime/base/str.h"

struct store;

enum layer_kind { LAYER_TAR, LAYER_DIRECTORY };

struct source_layer {
	enum layer_kind kind;
	struct digest digest;    /* of the bytes as stored; alg "" when there is none to check */
	uint64_t size_bytes;     /* as the manifest says; UINT64_MAX unknown */
	struct digest diff_id;   /* of the tar; alg "" when there is none */
	int fd;                  /* LAYER_TAR: a file to pread; LAYER_DIRECTORY: the directory */
	uint64_t offset, length; /* LAYER_TAR: where in fd the stored bytes lie */
	bool owns_fd;
	/*
	 * LAYER_DIRECTORY: an overlay's upper directories below fd, the highest first; the
	 * caller's.
	 */
	const int *below;
	size_t n_below;
	const int *base; /* the trees below all of them, where they are known (layer/uppers.h) */
	size_t n_base;
};

struct image_source {
	char *ref;              /* as the user wrote it, for provenance and messages */
	char *name;             /* default name of the output without ".sqsh", enroot's rule */
	struct strbuf config;   /* OCI or docker config JSON, verbatim; empty: none */
	struct strbuf manifest; /* manifest JSON, verbatim; empty: none */
	struct digest manifest_digest, config_digest;
	struct source_layer *layers;
	size_t n_layers;
	/* In an image that is a stack: the digests of the stored layers that lie below, the
	 * lowest first, "" for one that is not stored. */
	struct strv below;
	int *fds; /* further descriptors to close with the source */
	size_t n_fds;
	/*
	 * The layers are an image csbx made before, with its /.csbx (source/container.h). Bit n:
	 * enroot's file n (enroot_meta.h) in them is what csbx generated, not the image's own.
	 */
	bool is_our_image;
	unsigned our_enroot_files;
	struct store *store; /* the store of the layers and their indexes; NULL: none */
};

#endif
