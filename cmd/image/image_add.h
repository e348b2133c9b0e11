/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_IMAGE_ADD_H
#define CSBX_CMD_IMAGE_IMAGE_ADD_H

/*
 * The room cmd/image. The work of all dialects' verbs on images and files.
 *
 * In: options, operands. Out: images in files and in the table, copies, sizes.
 *
 *	settings.h, image_opts.h, registry_opts.h: options
 *	jobs.h, image_add.h, destination.h: an image is made
 *	progress.h, transfer_view.h, prompt.h, interrupt.h: what people see meanwhile
 *	copy.h, copy_agent.h, container_files.h: copies from and to a container
 *	stack_tar.h, archive_pipe.h: streams for others
 *	repos.h, build_prune.h, login_try.h: clones, builds, logins
 *
 * Must: leave a whole output or none.
 * Mustn't: speak one dialect.
 */

/* Bringing images into the image table. */

#include "image/table/table.h"

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
	const char *const *lower_paths; /* of a stack: files that are linked, the lowest first */
	unsigned n_lower_paths;
	/*
	 * Makes those above them, n_lowers in all, as lower files of the image id in the table; sets
	 * their lengths in options->lower_bytes, adds to *lower_size_bytes. NULL: there are none.
	 */
	int (*make_lowers)(void *arg, const char *id, uint64_t *lower_size_bytes, struct err *e);
	void *make_arg;
	uint64_t lower_size_bytes; /* of all files in those that are linked */
};
int image_add_named(int dirfd, const struct image_source *src, const struct image_add_names *names,
		    char ret_id[IMAGE_ID_BYTES], bool *ret_new, struct err *e);

#endif
