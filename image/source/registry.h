/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_REGISTRY_SOURCE_H
#define CSBX_IMAGE_REGISTRY_SOURCE_H

/*
 * docker://REFERENCE and bare references as sources of an import. The blobs of a registry go into a
 * store (store.h), and the image is read from there; blobs that the store has are not fetched. A
 * tag is looked up in the registry each time, by a HEAD request, unless the caller wants to be
 * offline.
 */

#include <stdbool.h>

struct digest;
struct err;
struct image_source;
struct image_wish;
struct source_options;

/*
 * True when the user means a source in a registry: it says docker://, or it is a reference and
 * cannot be the path of a missing file ("./x", "/x", "x.tar").
 */
bool registry_source_is(const char *uri, bool (*exists)(const char *path));

/* The image's name, as the load sets it; no registry is asked. NULL: it is no reference. */
char *registry_source_name(const char *uri);

int registry_source_load(const char *uri, const struct source_options *o,
			 const struct image_wish *wish, struct image_source *s, struct err *e);

/* The digest of the manifest that registry_source_load() would take. */
int registry_source_digest(const char *uri, const struct source_options *o,
			   const struct image_wish *wish, struct digest *ret, struct err *e);

#endif
