/* SPDX-License-Identifier: Apache-2.0 */

/* /.csbx/config.json of a foreign image: what is taken makes a record that decodes. */
#include "runtime/base/flat.h"
#include "runtime/server/image_meta.h"
#include "runtime/helpers/meta/meta.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image_meta m;
	struct flat_writer w;

	flat_begin(&w, IMAGE_META_MAGIC, IMAGE_META_VERSION);
	if (meta_add_config(&w, (const char *)data, size, NULL) >= 0) {
		FUZZ_ASSERT(flat_end(&w, NULL) >= 0);
		FUZZ_ASSERT(image_meta_decode(&m, w.buf.data, w.buf.len, NULL) >= 0);
		image_meta_free(&m);
	}
	flat_free(&w);
	return 0;
}
