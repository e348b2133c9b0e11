/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of the image table. A fuzzer never guesses the checksum, so the input is taken as the
 * fields and gets a good header. A record that decodes encodes again to one that decodes alike.
 */
#include <stdlib.h>

#include "image/table/image_name.h"
#include "image/table/image_record.h"
#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_record.h"

static void try_image(const uint8_t *data, size_t size)
{
	struct image_record r, again;
	struct strbuf out = STRBUF_INIT;
	size_t len = 0;
	char *buf = fuzz_record(IMAGE_RECORD_MAGIC, IMAGE_RECORD_VERSION, data, size, &len);

	if (!buf || image_record_decode(&r, buf, len, NULL) < 0)
		return;
	FUZZ_ASSERT(image_id_hex(r.id) && (!r.config || r.config_len <= size));
	FUZZ_ASSERT(!image_record_encode(&r, &out, NULL));
	len = out.len;
	FUZZ_ASSERT(!image_record_decode(&again, strbuf_take(&out), len, NULL));
	FUZZ_ASSERT(fuzz_same(r.id, again.id) && fuzz_same(r.arch, again.arch) &&
		    fuzz_same(r.os, again.os) && fuzz_same(r.manifest, again.manifest) &&
		    r.size_bytes == again.size_bytes && r.created_s == again.created_s &&
		    r.config_len == again.config_len && r.layers.n == again.layers.n &&
		    r.diff_ids.n == again.diff_ids.n && r.chain_ids.n == again.chain_ids.n);
	image_record_free(&r);
	image_record_free(&again);
}

static void try_tag(const uint8_t *data, size_t size)
{
	struct image_tag t, again;
	struct strbuf out = STRBUF_INIT;
	size_t len = 0;
	char *buf = fuzz_record(IMAGE_TAG_MAGIC, IMAGE_TAG_VERSION, data, size, &len);

	if (!buf || image_tag_decode(&t, buf, len, NULL) < 0)
		return;
	FUZZ_ASSERT(image_id_hex(t.id) && t.name && !strstr(t.name, "/../"));
	FUZZ_ASSERT(image_name_repository_len(t.name) < strlen(t.name));
	FUZZ_ASSERT(!image_tag_encode(&t, &out, NULL));
	len = out.len;
	FUZZ_ASSERT(!image_tag_decode(&again, strbuf_take(&out), len, NULL));
	FUZZ_ASSERT(fuzz_same(t.name, again.name) && fuzz_same(t.id, again.id) &&
		    t.tagged_ns == again.tagged_ns);
	image_tag_free(&t);
	image_tag_free(&again);
}

static void try_raw(const uint8_t *data, size_t size)
{
	struct image_record r;
	char *copy = malloc(size + 1);

	if (!copy)
		return;
	memcpy(copy, data, size);
	if (!image_record_decode(&r, copy, size, NULL))
		image_record_free(&r);
}

static void try_name(const uint8_t *data, size_t size)
{
	struct image_name n;
	char *text = malloc(size + 1), *canonical;

	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = 0;
	if (!image_name_parse(text, &n, NULL)) {
		canonical = image_name_canonical(&n);
		FUZZ_ASSERT(canonical && *image_name_familiar(canonical));
		free(canonical);
		image_name_free(&n);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_image(data, size);
	try_tag(data, size);
	try_raw(data, size);
	try_name(data, size);
	return 0;
}
