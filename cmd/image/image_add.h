/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_IMAGE_ADD_H
#define CSBX_CMD_IMAGE_IMAGE_ADD_H

/* Bringing images into the image table. */

#include "image/table/image_table.h"

struct err;
struct image_source;
struct import_options;

/*
 * Imports src unless the table has it already, and writes its record. dirfd: the table. *ret_new
 * (NULL allowed): whether it was not there.
 */
int image_add(int dirfd, const struct image_source *src, const struct import_options *o,
	      char ret_id[IMAGE_ID_BYTES], bool *ret_new, struct err *e);

/* The same, and gives it names (canonical). moved is called for a name another image had before. */
struct image_add_names {
	const struct strv *names;
	const struct import_options *options; /* compressor and such */
	void (*moved)(void *arg, const char *name, const char *old_id);
	void *arg;
	const char *const *lower_paths; /* of a stack: the n_lowers files below, the lowest first */
	uint64_t lower_size_bytes;      /* of all files in them */
};
int image_add_named(int dirfd, const struct image_source *src, const struct image_add_names *names,
		    char ret_id[IMAGE_ID_BYTES], bool *ret_new, struct err *e);

#endif
