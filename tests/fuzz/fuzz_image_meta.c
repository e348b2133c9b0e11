/* SPDX-License-Identifier: Apache-2.0 */

/* A record of an image's metadata, as read from a cache or from the confined reader. */
#include <string.h>

#include "runtime/base/flat.h"
#include "runtime/server/image_meta.h"
#include "tests/fuzz/fuzz.h"

static void try(const void *buf, size_t len)
{
	const char *first, *last;
	struct image_meta m;

	if (image_meta_decode(&m, buf, len, NULL) < 0)
		return;
	first = m.record;
	last = first + m.record_len;
	FUZZ_ASSERT(!m.user || (m.user > first && m.user + strlen(m.user) < last));
	FUZZ_ASSERT(m.passwd_len <= IMAGE_META_FILE_MAX &&
		    (!m.passwd || m.passwd + m.passwd_len <= last));
	image_meta_free(&m);
}

/* As it comes, and as the fields of a record whose header and checksum are right. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flat_writer w;

	try(data, size);
	flat_begin(&w, IMAGE_META_MAGIC, IMAGE_META_VERSION);
	strbuf_add(&w.buf, data, size);
	if (flat_end(&w, NULL) >= 0)
		try(w.buf.data, w.buf.len);
	flat_free(&w);
	return 0;
}
