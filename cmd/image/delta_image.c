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

static int hash_layer(const struct delta_image *d, const struct uppers *uppers, struct digest *ret,
		      struct err *e)
{
	_spool_ struct spool spool = SPOOL_INIT;
	struct tar_out out;
	off_t bytes;
	int r = spool_open(&spool, d->dirfd, e);

	if (r < 0)
		return r;
	tar_out_init(&out, spool.fd);
	r = tree_pack_uppers(uppers, &out, e);
	if (r >= 0)
		r = tar_out_end(&out, e);
	tar_out_free(&out);
	bytes = r < 0 ? 0 : lseek(spool.fd, 0, SEEK_END);
	return r < 0 ? r : tar_hash(spool.fd, (uint64_t)bytes, ret, e);
}

/* Adds the stored layers of which the image below is made; an image that came without them has
 * none, and so have those in the middle. */
static int add_below(const struct delta_image *d, struct image_source *src, struct err *e)
{
	const struct image_record *below = &d->below->record;
	bool known = below->layers.n == below->diff_ids.n;

	for (size_t i = 0; i < below->diff_ids.n; i++)
		strv_add(&src->below, known ? below->layers.items[i] : "");
	for (unsigned i = 0; i < d->n_middle; i++)
		strv_add(&src->below, "");
	return strv_check(&src->below, e);
}

static int one_layer(const struct delta_image *d, const struct uppers *uppers,
		     const struct digest *diff_id, struct image_source *src, struct err *e)
{
	*src = (struct image_source){.is_our_image = true};
	src->layers = calloc(1, sizeof(*src->layers));
	src->ref = strdup(d->ref);
	if (!src->layers || !src->ref)
		return err_oom(e);
	src->layers[0] = (struct source_layer){
		.kind = LAYER_DIRECTORY,
		.size_bytes = UINT64_MAX,
		.fd = uppers->fds[0],
		.below = uppers->fds + 1,
		.n_below = uppers->n - 1,
		.base = uppers->base,
		.n_base = uppers->n_base,
	};
	if (diff_id)
		src->layers[0].diff_id = *diff_id;
	src->n_layers = 1;
	return 0;
}

static int open_source(const struct delta_image *d, struct image_source *src, struct err *e)
{
	int r = one_layer(d, &d->uppers, NULL, src, e);

	if (r >= 0)
		r = add_below(d, src, e);
	for (unsigned i = 0; r >= 0 && i < d->n_middle; i++)
		r = hash_layer(d, &d->middle[i].uppers, &d->middle[i].diff_id, e);
	if (r >= 0 && !d->has_no_layer)
		r = hash_layer(d, &d->uppers, &src->layers[0].diff_id, e);
	return r < 0 ? r : d->configure(d->arg, src, e);
}

/* --- in the middle -------------------------------------------------------------------------- */

struct adding {
	const struct delta_image *d;
	uint64_t bytes[SPEC_STACK_MAX]; /* of the files below, the lowest first */
};

static int import_middle(struct adding *a, unsigned i, const char *id, uint64_t *size_bytes,
			 struct err *e)
{
	const struct delta_image *d = a->d;
	const struct delta_middle *m = &d->middle[i];
	const unsigned at = d->below->n + i;
	struct import_options o = *d->options;
	struct import_result res = {0};
	char file[IMAGE_FILE_BYTES];
	struct image_source src;
	int r = one_layer(d, &m->uppers, &m->diff_id, &src, e);

	o.force = o.no_enroot_files = true;
	o.lower_bytes = a->bytes;
	o.n_lowers = at;
	image_table_lower_file(id, at, file);
	if (r >= 0)
		r = import_image(&src, d->dirfd, file, &o, &res, e);
	a->bytes[at] = res.file_bytes;
	*size_bytes += res.content_bytes;
	source_close(&src);
	return r;
}

static int make_middle(void *arg, const char *id, uint64_t *size_bytes, struct err *e)
{
	struct adding *a = arg;
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < a->d->n_middle; i++)
		r = import_middle(a, i, id, size_bytes, e);
	return r;
}

int delta_image_add(const struct delta_image *d, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	const char *paths[SPEC_STACK_MAX];
	struct adding a = {.d = d};
	struct import_options o = *d->options;
	const struct image_add_names n = {
		.names = d->names,
		.options = &o,
		.lower_paths = paths,
		.n_lower_paths = d->below->n,
		.make_lowers = make_middle,
		.make_arg = &a,
		.lower_size_bytes = d->below->record.size_bytes,
	};
	struct image_source src;
	int r = open_source(d, &src, e);

	for (unsigned i = 0; i < d->below->n; i++) {
		paths[i] = d->below->paths[i];
		a.bytes[i] = d->below->bytes[i];
	}
	o.lower_bytes = a.bytes;
	o.n_lowers = d->below->n + d->n_middle;
	if (r >= 0)
		r = image_add_named(d->dirfd, &src, &n, ret_id, NULL, e);
	source_close(&src);
	return r;
}
