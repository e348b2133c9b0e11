/* SPDX-License-Identifier: Apache-2.0 */
#include "image/store/store.h"

#include "image/model/digest.h"
#include "image/layer/index.h"
#include "image/store/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"

/* A layer of five million entries; beyond it the index is not worth its place. */
#define INDEX_BYTES_MAX (512u << 20)

static char *index_name(const struct digest *layer, bool keep_capabilities)
{
	return store_flat_name(layer, keep_capabilities ? "-c" : "");
}

static bool load_from(int dirfd, const char *name, struct layer_index *ret)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct err e = ERR_INIT;
	int r;

	if (dirfd < 0)
		return false;
	r = io_read_file_at(dirfd, name, INDEX_BYTES_MAX, &text, &e);
	if (r >= 0)
		r = layer_index_parse(text.data, text.len, ret, &e);
	if (r < 0 && r != -ENOENT)
		log_trace("cache: index %.19s: %s", name, e.msg);
	return r >= 0;
}

int store_load_index(struct store *s, const struct digest *layer, bool keep_capabilities,
		     struct layer_index *ret)
{
	_free_ char *name = index_name(layer, keep_capabilities);

	if (!name ||
	    (!load_from(s->shared.indexes, name, ret) && !load_from(s->own.indexes, name, ret)))
		return 0;
	ret->result.stored = *layer;
	return 1;
}

void store_save_index(struct store *s, const struct digest *layer, bool keep_capabilities,
		      const struct layer_index *x)
{
	_free_ char *name = index_name(layer, keep_capabilities);
	const struct io_replace where = {
		.dirfd = s->own.indexes, .name = name, .mode = 0600, .replace = 1};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct err e = ERR_INIT;

	if (!name || layer_index_format(x, &text, &e) < 0 || text.len > INDEX_BYTES_MAX ||
	    io_write_file_at(&where, text.data, text.len, &e) < 0)
		log_trace("cache: index not kept: %s", e.msg);
}
