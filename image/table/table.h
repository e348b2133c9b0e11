/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_TABLE_H
#define CSBX_IMAGE_IMAGE_TABLE_H

/*
 * The room image/table. Images by name.
 *
 * In: files that were imported, names. Out: records under a lock.
 *
 *	image_name.h, ref.h, ref_part.h: names, as docker and as enroot write them
 *	image_record.h		the records
 *	table.h			looking up; list.c, write.c, sweep.c: listing, writing, tidying
 *
 * Must: replace a name in one step.
 * Mustn't: read what is in an image.
 */

/*
 * The images one user has, by name: $CSBX_DATA_PATH/images.
 *
 *	HEX.sqsh	an image's file system; HEX: the digest of its config, which is its id
 *	HEX.sqsh.N	of a stack: what lies below it, the lowest as 0; links to the files of
 *			other images, which stay as long as a stack has them
 *	HEX.image	what it is (struct image_record)
 *	@NAME		what a name stands for (struct image_tag); NAME: the canonical name, "/" as
 *			"+"; a long one is cut and gets a hash
 *	.lock		held by the process that changes records
 *	.import-HEX	held by the process that makes HEX.sqsh
 *
 * A file is what it is or is not there: records are renamed into place, so readers take no lock.
 * Order makes every state that a kill leaves a good one: the file system comes before its record,
 * the record before names; going, names leave first. A leftover (a file system without a record, a
 * name without an image) counts as absent and is swept by gc. Many processes may write at once.
 *
 * Everything here needs libc only, so that a start finds its image without more programs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/table/image_name.h"
#include "image/table/image_record.h"

struct err;

#define IMAGE_TABLE_DIR "images" /* below the data path; opened 0700 by the caller */
#define IMAGE_TABLE_LOCK ".lock"
#define IMAGE_TABLE_IMPORT_PREFIX ".import-"
#define IMAGE_FILE_BYTES (IMAGE_ID_HEX + sizeof(".sqsh.0"))
#define IMAGE_ID_BYTES (sizeof("sha256:") + IMAGE_ID_HEX)

/* "HEX.sqsh" of an id, "HEX.sqsh.N" of what lies below it. */
void image_table_file(const char *id, char ret[IMAGE_FILE_BYTES]);
void image_table_lower_file(const char *id, unsigned i, char ret[IMAGE_FILE_BYTES]);

/* --- reading -------------------------------------------------------------------------------- */

struct image_entry {
	char id[IMAGE_ID_BYTES];
	char file[IMAGE_FILE_BYTES]; /* beneath the directory */
	char *reference;             /* familiar, "app:latest"; NULL when it was found by its id */
	uint64_t size_bytes, file_bytes, created_s;
};
void image_entry_free(struct image_entry *x);
#define _image_entry_ __attribute__((cleanup(image_entry_free)))

/*
 * By docker's rules: a name ("app", "app:1", "docker.io/library/app", "app@sha256:..."), else a
 * whole id or the beginning of one. -ENOENT; -ENOTUNIQ: the beginning of several ids; -EINVAL: it
 * can be neither.
 */
int image_table_find(int dirfd, const char *operand, struct image_entry *ret, struct err *e);

/* The record of an id ("sha256:HEX"). -ENOENT. */
int image_table_read(int dirfd, const char *id, struct image_record *ret, struct err *e);

struct image_item {
	struct image_record record;
	struct strv names;  /* canonical, in byte order: digests sort by their repository */
	uint64_t tagged_ns; /* when it got its last name; 0: it has none */
};
struct image_list {
	struct image_item *items; /* last created first */
	size_t n;
	size_t n_damaged; /* records that cannot be read */
};
int image_table_list(int dirfd, struct image_list *ret, struct err *e);
void image_list_free(struct image_list *l);
#define _image_list_ __attribute__((cleanup(image_list_free)))
struct image_item *image_list_get(struct image_list *l, const char *id);

/* --- writing: with the lock held -------------------------------------------------------------- */

/* Waits for it; closing it gives it back. */
int image_table_lock(int dirfd, struct err *e);

/* Makes a record, or replaces that of the same image. */
int image_table_put(int dirfd, const struct image_record *r, struct err *e);

/*
 * Gives an image a (canonical) name. -ENOENT: there is no such image; -EINVAL: the name reads as an
 * id. ret_old: the id of the image that had the name before and is another one, "" = none; NULL
 * allowed.
 */
int image_table_tag(int dirfd, const char *name, const char *id, char ret_old[IMAGE_ID_BYTES],
		    struct err *e);
/* -ENOENT: there is no such name. */
int image_table_untag(int dirfd, const char *name, struct err *e);

/* Removes an image and its file. Names must have gone before. */
int image_table_delete(int dirfd, const char *id, struct err *e);

/*
 * Held while HEX.sqsh is made, without the other lock: of many who import one image, one does and
 * the others wait for it. Ends with image_table_import_done().
 */
int image_table_import_begin(int dirfd, const char *id, struct err *e);
void image_table_import_done(int dirfd, const char *id, int *lock);

/* --- sweeping --------------------------------------------------------------------------------- */

/*
 * Removes what killed commands left: files without a record, temporary names, names that stand for
 * no image. tell is called for each; failed: -errno, or 0. Does nothing while somebody writes.
 */
struct image_sweep {
	bool dry_run;
	void (*tell)(void *arg, const char *file, int failed);
	void *arg;
};
int image_table_sweep(int dirfd, const struct image_sweep *how, struct err *e);

#endif
