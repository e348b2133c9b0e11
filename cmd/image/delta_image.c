/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/delta_image.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/image/image_add.h"
#include "image/bytes/spool.h"
#include "image/import/import.h"
#include "image/layer/tar.h"
#include "image/model/source.h"
#include "image/pack/tar_out.h"
#include "image/pack/tree.h"
#include "image/source/source.h"
#include "image/source/tar.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

int delta_below_find(int dirfd, const char *id, const struct rootfs_spec *root,
		     struct delta_below *ret, struct err *e)
{
	*ret = (struct delta_below){0};
	if (root->kind != ROOTFS_SQUASHFS)
		return err_set(e, EOPNOTSUPP, "no layer over an image");
	if (root->n_lowers + 1 >= SPEC_STACK_MAX)
		return err_set(e, EOPNOTSUPP, "the stack is as high as one may be");
	if (image_table_read(dirfd, id, &ret->record, NULL) < 0)
		return err_set(e, EOPNOTSUPP, "its image is gone");
	for (size_t i = 0; i <= root->n_lowers; i++) {
		const struct rootfs_part part = rootfs_part_at(root, i);

		ret->bytes[i] = part.id.size_bytes;
		ret->paths[i] = strdup(i < root->n_lowers ? root->lowers[i].path : root->path);
		if (!ret->paths[i])
			return err_oom(e);
		ret->n++;
	}
	return 0;
}

void delta_below_free(struct delta_below *b)
{
	for (unsigned i = 0; i < b->n; i++)
		free(b->paths[i]);
	image_record_free(&b->record);
	*b = (struct delta_below){0};
}

/*
 * --- the layer ---------------------------------------------------------------------------------
 */

static int hash_layer(const struct delta_image *d, struct digest *ret, struct err *e)
{
	_spool_ struct spool spool = SPOOL_INIT;
	struct tar_out out;
	off_t bytes;
	int r = spool_open(&spool, d->dirfd, e);

	if (r < 0)
		return r;
	tar_out_init(&out, spool.fd);
	r = tree_pack_uppers(&d->uppers, &out, e);
	if (r >= 0)
		r = tar_out_end(&out, e);
	tar_out_free(&out);
	bytes = r < 0 ? 0 : lseek(spool.fd, 0, SEEK_END);
	return r < 0 ? r : tar_hash(spool.fd, (uint64_t)bytes, ret, e);
}

/* Adds the stored layers of which the image below is made; an image that came without them has
 * none. */
static int add_below(const struct image_record *below, struct image_source *src, struct err *e)
{
	bool known = below->layers.n == below->diff_ids.n;

	for (size_t i = 0; i < below->diff_ids.n; i++)
		strv_add(&src->below, known ? below->layers.items[i] : "");
	return strv_check(&src->below, e);
}

static int open_source(const struct delta_image *d, struct image_source *src, struct err *e)
{
	int r;

	*src = (struct image_source){.is_our_image = true};
	src->layers = calloc(1, sizeof(*src->layers));
	src->ref = strdup(d->ref);
	if (!src->layers || !src->ref)
		return err_oom(e);
	src->layers[0] = (struct source_layer){
		.kind = LAYER_DIRECTORY,
		.size_bytes = UINT64_MAX,
		.fd = d->uppers.fds[0],
		.below = d->uppers.fds + 1,
		.n_below = d->uppers.n - 1,
	};
	src->n_layers = 1;
	r = add_below(&d->below->record, src, e);
	if (r >= 0 && !d->has_no_layer)
		r = hash_layer(d, &src->layers[0].diff_id, e);
	return r < 0 ? r : d->configure(d->arg, src, e);
}

int delta_image_add(const struct delta_image *d, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	const char *paths[SPEC_STACK_MAX];
	struct import_options o = *d->options;
	const struct image_add_names n = {
		.names = d->names,
		.options = &o,
		.lower_paths = paths,
		.lower_size_bytes = d->below->record.size_bytes,
	};
	struct image_source src;
	int r = open_source(d, &src, e);

	for (unsigned i = 0; i < d->below->n; i++)
		paths[i] = d->below->paths[i];
	o.lower_bytes = d->below->bytes;
	o.n_lowers = d->below->n;
	if (r >= 0)
		r = image_add_named(d->dirfd, &src, &n, ret_id, NULL, e);
	source_close(&src);
	return r;
}
