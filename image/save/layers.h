/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SAVE_LAYERS_H
#define CSBX_IMAGE_SAVE_LAYERS_H

/*
 * The layers of an image of the table, for save and push, which pass it on. A layer that came from
 * a registry is taken from the store, where it still is; one that is a file of a stack is made of
 * that file again, and is the same tar. If the layers of a stack's lowest file, or of an image of
 * one file, are gone, its content stands for them as one layer, and the configuration and the
 * image's id are others. If even that does not hold, all files together are one layer.
 *
 * In: a record of the table. Out: layers, each as a plain tar; the configuration that fits them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/model/digest.h"
#include "image/table/table.h"

struct err;
struct store;

struct image_content {
	int dirfd;           /* of the table, and for temporary files */
	struct store *store; /* NULL: none */
	/*
	 * Writes the content of a stack, whose files are read together only where they are mounted, as
	 * a tar.
	 */
	int (*write_stack)(void *arg, const struct image_record *rec, int tar_fd, struct err *e);
	void *arg;
};

enum image_layer_kind { IMAGE_LAYER_STORED, IMAGE_LAYER_OF_FILE, IMAGE_LAYER_JOINED };

struct image_layer {
	enum image_layer_kind kind;
	const char *diff_id;         /* of the tar; NULL: it is not known yet */
	struct digest stored;        /* STORED: the blob */
	char file[IMAGE_FILE_BYTES]; /* OF_FILE, JOINED: of the table; "": all files of the image */
};

struct image_layers {
	struct image_layer *items;
	size_t n;
	size_t n_joined; /* so many layers of the image are the first one here */
	bool has_joined; /* the first is so: the configuration is another */
};

/* Finds the layers that there are. rec must live as long. */
int image_layers_find(const struct image_content *c, const struct image_record *rec,
		      struct image_layers *ret, struct err *e);
/* The last resort: all files as one. */
int image_layers_join_all(const struct image_record *rec, struct image_layers *ret, struct err *e);
void image_layers_free(struct image_layers *l);

/*
 * A layer as a plain tar, in a file without a name. -EBADMSG: the store's is damaged; -ESTALE: the
 * file does not give it again, but all files together may do (image_layers_join_all()).
 */
struct layer_tar {
	int fd;
	struct digest diff_id;
	uint64_t bytes;
};
#define LAYER_TAR_INIT   \
	{                \
		.fd = -1 \
	}
int image_layer_tar(const struct image_content *c, const struct image_record *rec,
		    const struct image_layer *l, struct layer_tar *ret, struct err *e);

/* The configuration with those layers. diff_ids: of all of them. */
int image_layers_config(const struct image_record *rec, const struct image_layers *l,
			const struct strv *diff_ids, struct strbuf *out, struct err *e);

#endif
