/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMPORT_H
#define CSBX_IMAGE_IMPORT_H

/*
 * The room image/import. An image source becomes a squashfs file.
 *
 * In: a source (image/model/source.h). Out: an image file, its description.
 *
 *	import.h		the order of things
 *	index.c, layer.c, index_ahead.h: first pass: names and digests
 *	data.c			second pass: data
 *	metadata.h, enroot_meta.h: what csbx adds
 *	image_describe.h	what the image table keeps of it
 *
 * Must: verify before anything appears under its name.
 * Mustn't: need privilege.
 */

/*
 * An image source becomes a squashfs file. Two passes over every layer and nothing in between on
 * disk: the first verifies digests, sizes and diff_ids and collects names (layers in parallel);
 * the merge then decides what is visible; the second copies visible data, in the order of layers
 * and of entries in them, straight into the image, and checks that the bytes are still those of
 * the first. No privilege, no ownership, no temporary tree.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/squash/squash.h"

struct err;
struct image_source;

#define IMPORT_MAX_BYTES_DEFAULT (128ull << 30)

enum import_phase { IMPORT_INDEX, IMPORT_DATA, IMPORT_TABLES, IMPORT_SYNC };

struct import_progress {
	enum import_phase phase;
	uint64_t done_bytes, total_bytes; /* of the phase, as stored */
};

struct import_options {
	struct squash_options squash; /* threads 0: one for each CPU we may use */
	uint64_t max_image_bytes;     /* apparent size of all files; 0: the default */
	bool force;                   /* replace an existing file */
	bool all_root;                /* every file belongs to 0:0 */
	bool no_enroot_files;
	bool keep_capabilities; /* keep security.capability attributes */
	/*
	 * The source is an overlay's upper directory and becomes the topmost file of a stack over
	 * n_lowers others: their lengths, the lowest first (base/image_trailer.h).
	 */
	const uint64_t *lower_bytes;
	unsigned n_lowers;
	void (*progress)(void *arg, const struct import_progress *p); /* NULL: none */
	void *progress_arg;
	const _Atomic int *cancel; /* NULL, or stops the import when non-zero */
};

struct import_result {
	uint64_t file_bytes;    /* of the image file */
	uint64_t content_bytes; /* sum of the sizes of all regular files */
	uint32_t n_entries;     /* names in the image */
};

/* As many as there are CPUs to use: what 0 threads in the options means. */
unsigned import_default_threads(void);

/* Writes dirfd/name. On failure nothing is left behind. */
int import_image(const struct image_source *src, int dirfd, const char *name,
		 const struct import_options *o, struct import_result *ret, struct err *e);

#endif
