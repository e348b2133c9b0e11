/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Container and instance records. A fuzzer never guesses the checksum, so the input is taken as
 * the fields and gets a good header. What decodes encodes again to a record that decodes alike.
 */
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/base/str.h"
#include "runtime/container_record.h"
#include "runtime/instance.h"
#include "runtime/name.h"
#include "tests/fuzz/fuzz.h"

/* A copy of the record around the fields; NULL when out of memory. */
static char *wrap(uint32_t magic, uint32_t version, const uint8_t *data, size_t size,
		  size_t *ret_len)
{
	struct flat_writer w;
	char *copy = NULL;

	flat_begin(&w, magic, version);
	strbuf_add(&w.buf, data, size);
	if (!flat_end(&w, NULL)) {
		*ret_len = w.buf.len;
		copy = strbuf_take(&w.buf);
	}
	flat_free(&w);
	return copy;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void try_container(const uint8_t *data, size_t size)
{
	struct container_record r, again;
	struct strbuf out = STRBUF_INIT;
	size_t len = 0;
	char *buf = wrap(CONTAINER_RECORD_MAGIC, CONTAINER_RECORD_VERSION, data, size, &len);

	if (!buf || container_record_decode(&r, buf, len, NULL) < 0)
		return;
	FUZZ_ASSERT(*r.image == '/' && (!r.meta || r.meta_len <= size));
	FUZZ_ASSERT(!container_record_encode(&r, &out, NULL));
	len = out.len;
	FUZZ_ASSERT(!container_record_decode(&again, strbuf_take(&out), len, NULL));
	FUZZ_ASSERT(same(r.image, again.image) && r.kind == again.kind && r.pin == again.pin &&
		    r.created_ns == again.created_ns && r.meta_len == again.meta_len &&
		    !memcmp(&r.id, &again.id, sizeof(r.id)));
	container_record_free(&r);
	container_record_free(&again);
}

static void try_instance(const uint8_t *data, size_t size)
{
	struct instance_record r, again;
	struct strbuf out = STRBUF_INIT;
	size_t len = 0;
	char *buf = wrap(INSTANCE_MAGIC, INSTANCE_VERSION, data, size, &len);

	if (!buf || instance_record_decode(&r, buf, len, NULL) < 0)
		return;
	FUZZ_ASSERT(name_is_id(r.id) && (!r.name || name_is_valid(r.name)));
	FUZZ_ASSERT(r.supervisor >= 0 && r.init >= 0);
	FUZZ_ASSERT(!instance_record_encode(&r, &out, NULL));
	len = out.len;
	FUZZ_ASSERT(!instance_record_decode(&again, strbuf_take(&out), len, NULL));
	FUZZ_ASSERT(same(r.id, again.id) && same(r.name, again.name) &&
		    same(r.layer, again.layer) && r.supervisor == again.supervisor &&
		    r.command.n == again.command.n);
	instance_record_free(&r);
	instance_record_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_container(data, size);
	try_instance(data, size);
	return 0;
}
