/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_STORE_PRIV_H
#define CSBX_IMAGE_STORE_PRIV_H

/* Shared by store.c (blobs), refs.c, index.c and prune.c. */

#include "image/store/store.h"

/* The three directories of one place; -1: not there. */
struct store_dirs {
	int oci, partial, indexes;
};

struct store {
	struct store_dirs own, shared; /* shared.partial is never open */
	struct strv refused;           /* digests not to be taken from shared */
};

#define STORE_INDEX_JSON "index.json"

/* "blobs/sha256/HEX" in oci, "sha256-HEX" in partial and indexes. */
char *store_blob_path(const struct digest *d);
char *store_flat_name(const struct digest *d, const char *suffix);

void store_image_free(struct store_image *i); /* leaves it empty */
/* Closes the gaps that freed entries leave. */
int store_images_pack(struct store_images *l);

/* Replaces index.json by what change makes of it, where it says that it changed anything. */
int store_change_images(struct store *s,
			int (*change)(void *arg, struct store_images *l, bool *ret_changed,
				      struct err *e),
			void *arg, struct err *e);

#endif
