/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_SAVE_H
#define CSBX_IMAGE_IMAGE_SAVE_H

/*
 * Images of the table as one archive, as docker 25 and later save them: an OCI layout with
 * manifest.json beside index.json, layers as plain tars.
 *
 * The layers are those the image came with where the store still has all of them, and the image's
 * id stays. Else they are gone: the image's content becomes one layer, and with it the config and
 * the id are others.
 */

#include "image/table/image_table.h"

struct err;
struct store;

struct image_save_item {
	const struct image_record *record;
	struct strv names; /* canonical, without those by digest */
};

struct image_save {
	int dirfd;           /* of the table, and for temporary files */
	struct store *store; /* NULL: none */
	struct image_save_item *items;
	size_t n;
	/* Writes the content of a stack, whose files are read together only where they are mounted, as
	 * a tar. */
	int (*write_stack)(void *arg, const struct image_record *rec, int tar_fd, struct err *e);
	void *arg;
};

int image_save(const struct image_save *s, int out_fd, struct err *e);

/* A config for the same image as one layer. */
int squashed_config(const void *config, size_t len, const char *diff_id, struct strbuf *out,
		    struct err *e);

#endif
