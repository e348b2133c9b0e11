/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Container and instance records. A fuzzer never guesses the checksum, so the input is taken as
 * the fields and gets a good header. A record that decodes encodes again to one that decodes alike.
 */
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/base/str.h"
#include "runtime/record/container_record.h"
#include "runtime/record/instance.h"
#include "runtime/spec/name.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_record.h"

static void try_container(const uint8_t *data, size_t size)
{
	struct container_record r, again;
	struct strbuf out = STRBUF_INIT;
	size_t len = 0;
	char *buf = fuzz_record(CONTAINER_RECORD_MAGIC, CONTAINER_RECORD_VERSION, data, size, &len);

	if (!buf || container_record_decode(&r, buf, len, NULL) < 0)
		return;
	FUZZ_ASSERT(*r.image == '/' && (!r.meta || r.meta_len <= size));
	FUZZ_ASSERT(!container_record_encode(&r, &out, NULL));
	len = out.len;
	FUZZ_ASSERT(!container_record_decode(&again, strbuf_take(&out), len, NULL));
	FUZZ_ASSERT(fuzz_same(r.image, again.image) && r.kind == again.kind && r.pin == again.pin &&
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
	char *buf = fuzz_record(INSTANCE_MAGIC, INSTANCE_VERSION, data, size, &len);

	if (!buf || instance_record_decode(&r, buf, len, NULL) < 0)
		return;
	FUZZ_ASSERT(name_is_id(r.id) && (!r.name || name_is_valid(r.name)));
	FUZZ_ASSERT(r.supervisor >= 0 && r.init >= 0);
	FUZZ_ASSERT(!instance_record_encode(&r, &out, NULL));
	len = out.len;
	FUZZ_ASSERT(!instance_record_decode(&again, strbuf_take(&out), len, NULL));
	FUZZ_ASSERT(fuzz_same(r.id, again.id) && fuzz_same(r.name, again.name) &&
		    fuzz_same(r.layer, again.layer) && r.supervisor == again.supervisor &&
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
