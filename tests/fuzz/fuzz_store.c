/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of the cache: the index of a layer, whose checksum a fuzzer never guesses, so the input
 * is taken as the fields and gets a good header; and index.json. An index that is accepted goes
 * through the merge, which trusts it, and comes back the same when it is written and read again.
 */
#include <stdlib.h>

#include "image/layer/index.h"
#include "image/store/store.h"
#include "image/squash/tree.h"
#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "tests/fuzz/fuzz.h"

#define MAGIC 0x31584c43u

static void try_index(const uint8_t *data, size_t size)
{
	const uint64_t seed[2] = {1, 2};
	struct layer_index x, again;
	struct strbuf out = STRBUF_INIT;
	struct flat_writer w;
	struct tree t;

	flat_begin(&w, MAGIC, 1);
	strbuf_add(&w.buf, data, size);
	if (flat_end(&w, NULL) || layer_index_parse(w.buf.data, w.buf.len, &x, NULL) < 0) {
		flat_free(&w);
		return;
	}
	FUZZ_ASSERT(!layer_index_format(&x, &out, NULL));
	FUZZ_ASSERT(!layer_index_parse(out.data, out.len, &again, NULL));
	FUZZ_ASSERT(again.n == x.n && again.arena_len == x.arena_len &&
		    again.result.plain_bytes == x.result.plain_bytes);
	if (!tree_init(&t, seed, NULL)) {
		(void)!tree_apply(&t, &x, NULL);
		tree_free(&t);
	}
	layer_index_free(&x);
	layer_index_free(&again);
	strbuf_free(&out);
	flat_free(&w);
}

static void try_images(const uint8_t *data, size_t size)
{
	struct store_images l, again;
	struct strbuf out = STRBUF_INIT;

	if (store_images_parse(data, size, &l, NULL) < 0)
		return;
	FUZZ_ASSERT(!store_images_format(&l, &out, NULL));
	FUZZ_ASSERT(!store_images_parse(out.data, out.len, &again, NULL));
	FUZZ_ASSERT(again.n == l.n);
	store_images_free(&l);
	store_images_free(&again);
	strbuf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	if (data[0] & 1)
		try_index(data + 1, size - 1);
	else
		try_images(data + 1, size - 1);
	return 0;
}
