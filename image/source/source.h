/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SOURCE_OPEN_H
#define CSBX_IMAGE_SOURCE_OPEN_H

/*
 * The room image/source. The sources of images.
 *
 * In: a user's word for a source. Out: an image source.
 *
 *	source.h, sniff.h	which kind it is
 *	registry.h, engine.h	a registry; docker or podman
 *	image_archive.h, tar.h	archives
 *	container.h		the root of a container
 *
 * Must: give each layer twice alike.
 * Mustn't: know how an image is written.
 */

/* Opens what a user names as the source of an image, of whatever kind (image/model/source.h). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/import/index_ahead.h"
#include "image/model/source.h"
#include "image/registry/options.h"
#include "image/source/engine.h"

struct err;
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

/* True when source_open() wants a store for it. */
bool source_needs_store(const char *uri);

/*
 * The digest of the manifest source_open() would take, looking at nothing that it lists. -ENODATA
 * for sources that have no manifest.
 */
int source_digest(const char *uri, const struct source_options *o, struct digest *ret,
		  struct err *e);

/*
 * After an import that failed by -EBADMSG: reads the layers that came from a store and makes it
 * forget the damaged ones. Returns how many it dropped; if any, another try is worth it.
 */
size_t source_drop_damaged(struct image_source *s);

#endif
