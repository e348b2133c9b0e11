/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stored specifications. The input is taken as the fields and gets a good header (a fuzzer never
 * guesses the checksum). A specification that can be read is written again as bytes that read to
 * the same bytes.
 */
#include "runtime/spec/flat.h"

#include "runtime/base/flat.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"
#include "tests/fuzz/fuzz.h"

static int read_wrapped(const uint8_t *data, size_t size, struct container_spec *ret)
{
	struct flat_writer w;
	int r;

	flat_begin(&w, SPEC_FLAT_MAGIC, SPEC_FLAT_VERSION);
	strbuf_add(&w.buf, data, size);
	r = flat_end(&w, NULL);
	if (!r)
		r = spec_flat_read(ret, w.buf.data, w.buf.len, NULL);
	flat_free(&w);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_strbuf_ struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	struct container_spec s;

	if (read_wrapped(data, size, &s) < 0)
		return 0;
	FUZZ_ASSERT(s.version == SPEC_VERSION && s.rootfs.upper <= UPPER_READONLY);
	FUZZ_ASSERT(s.n_mounts <= 4096 && s.limits.n_rlimits <= 64 && s.n_files <= 64);
	FUZZ_ASSERT(!spec_flat_write(&s, &once, NULL));
	spec_free(&s);
	FUZZ_ASSERT(!spec_flat_read(&s, once.data, once.len, NULL));
	FUZZ_ASSERT(!spec_flat_write(&s, &twice, NULL));
	FUZZ_ASSERT(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
	spec_free(&s);
	return 0;
}
