/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_OCI_IMAGE_H
#define CSBX_IMAGE_OCI_IMAGE_H

/*
 * The room image/oci. The documents of images: indexes, manifests, configurations, archives.
 *
 * In: foreign JSON and tars. Out: structs; blobs by digest.
 *
 *	source_uri.h		what a user names
 *	layout.h, fileset.h, archive_index.h: places: directories and tars
 *	docker_archive.c, docker_json.h, skopeo_dir.c: docker's and skopeo's forms
 *	json.h, config.h, platform.h: documents
 *	image.h			from an index down to layers
 *
 * Must: verify what is named by a digest.
 * Mustn't: ask a network.
 */

/*
 * From an index or manifest down to config and layers, for every source that has blobs named by
 * digest. Index, manifest and config are read once, hashed, and used from the same memory; layers
 * are opened and their sizes compared, their bytes are verified by the one who reads them.
 */

#include <stdbool.h>

#include "image/oci/fileset.h"
#include "image/oci/json.h"
#include "image/model/source.h"

struct err;
struct platform;

struct oci_blobs {
	const struct fileset *files;
	bool bare_names; /* HEX and HEX.manifest.json, as in skopeo's dir:, not blobs/ALG/HEX */
	/*
	 * Brings blobs into files before they are looked for there: one document at a time, then
	 * the config and all layers at once. NULL: a blob that is not there is missing.
	 */
	int (*fetch)(void *arg, const struct oci_descriptor *const *wanted, size_t n,
		     struct err *e);
	/* A blob that fetch has brought, instead of from files. -ENOENT. */
	int (*open)(void *arg, const struct digest *d, struct file_range *ret, struct err *e);
	void *arg;
};

struct image_wish {
	const struct platform *platform;
	bool explicit; /* the user asked for it */
};

/* root: an index or a manifest. Indexes may nest; one platform is chosen at each level. */
int oci_image_load(const struct oci_blobs *b, const struct oci_descriptor *root,
		   const struct image_wish *wish, struct image_source *s, struct err *e);

/* The manifest that it would load: its digest, without a look at what it lists. */
int oci_image_resolve(const struct oci_blobs *b, const struct oci_descriptor *root,
		      const struct image_wish *wish, struct digest *ret, struct err *e);

/* Loads a document at hand that nothing refers to; takes the text. */
int oci_image_load_text(const struct oci_blobs *b, struct strbuf *text,
			const struct image_wish *wish, struct image_source *s, struct err *e);

/*
 * s->config and s->layers are set: checks that the config is one of a linux image for the wanted
 * architecture and has a diff_id for each layer, and puts those into the layers.
 */
int oci_image_check_config(struct image_source *s, const struct image_wish *wish, struct err *e);

#endif
