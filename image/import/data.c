/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "image/model/digest.h"
#include "image/import/priv.h"
#include "image/model/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static int copy_file(struct import *im, struct layer_reader *l, struct squash *s, uint32_t ino,
		     struct err *e)
{
	uint64_t size = im->tree.inodes[ino].size_bytes;
	uint64_t done = 0, offset;
	const void *data;
	size_t len;
	int r = squash_begin_file(s, ino, e);

	while (r == 0 && size && (r = layer_reader_read(l, &data, &len, &offset, e)) > 0) {
		r = 0;
		import_report(im, IMPORT_DATA);
		if (!len)
			continue;
		if (offset > done)
			r = squash_append_zeros(s, offset - done, e);
		if (r == 0)
			r = squash_append(s, data, len, e);
		done = offset + len;
	}
	if (r == 0 && done < size)
		r = squash_append_zeros(s, size - done, e);
	return r < 0 ? r : squash_end_file(s, e);
}

static int changed(struct err *e)
{
	return err_set(e, EBADMSG, "changed while it was read");
}

static int copy_entries(struct import *im, struct layer_reader *l, const uint32_t *map, uint32_t n,
			struct squash *s, struct err *e)
{
	struct layer_entry entry;
	uint32_t i = 0;
	int r;

	while ((r = layer_reader_next(l, &entry, e)) > 0) {
		const struct tree_inode *ino;

		if (i == n)
			return changed(e);
		if (map[i] != TREE_NONE) {
			ino = &im->tree.inodes[map[i]];
			if (entry.type != ENTRY_FILE || entry.size_bytes != ino->size_bytes)
				return changed(e);
			r = copy_file(im, l, s, map[i], e);
			if (r < 0)
				return r;
		}
		i++;
	}
	return r == 0 && i != n ? changed(e) : r;
}

static int copy_layer(struct import *im, size_t layer, const uint32_t *map, struct squash *s,
		      struct err *e)
{
	struct layer_options o = import_layer_options(im, false);
	const struct layer_index *x = &im->layers[layer];
	_layer_reader_ struct layer_reader *l = NULL;
	struct layer_result result;
	int r = layer_reader_open(&l, &im->src->layers[layer], &o, e);

	if (r == 0)
		r = copy_entries(im, l, map, x->n, s, e);
	if (r == 0)
		r = layer_reader_finish(l, &result, e);
	if (r < 0)
		return r;
	if (digest_is_set(&x->result.stored) && !digest_equal(&result.stored, &x->result.stored))
		return changed(e);
	return 0;
}

static bool is_needed(const uint32_t *map, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (map[i] != TREE_NONE)
			return true;
	}
	return false;
}

static int copy_metadata(struct import *im, struct squash *s, struct err *e)
{
	const struct metadata *m = &im->metadata;
	_free_ uint32_t *map = NULL;
	int r = 0;

	if (im->tree.n_layers == im->src->n_layers)
		return 0;
	r = tree_data_map(&im->tree, (uint32_t)im->src->n_layers, &map, e);
	for (uint32_t i = 0; r == 0 && i < m->index.n; i++) {
		if (map[i] == TREE_NONE)
			continue;
		r = squash_begin_file(s, map[i], e);
		if (r == 0 && m->data[i]->len)
			r = squash_append(s, m->data[i]->data, m->data[i]->len, e);
		if (r == 0)
			r = squash_end_file(s, e);
	}
	return r;
}

int import_data(struct import *im, struct squash *s, struct err *e)
{
	im->read_bytes = 0;
	import_report(im, IMPORT_DATA);
	for (size_t i = 0; i < im->src->n_layers; i++) {
		_free_ uint32_t *map = NULL;
		int r = tree_data_map(&im->tree, (uint32_t)i, &map, e);

		if (r == 0 && is_needed(map, im->layers[i].n))
			r = copy_layer(im, i, map, s, e);
		if (r < 0)
			return r == -ECANCELED ? r : import_wrap_layer(im, i, e);
	}
	return copy_metadata(im, s, e);
}
