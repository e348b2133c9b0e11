/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/flat.h"

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

#define MAGIC 0x54534554u

static void write_sample(struct flat_writer *w)
{
	struct strv v = STRV_INIT;
	struct err e = ERR_INIT;

	flat_begin(w, MAGIC, 2);
	flat_str(w, 1, "name");
	flat_str(w, 2, NULL);
	flat_u64(w, 3, UINT64_C(0x1122334455667788));
	strv_add(&v, "");
	strv_add(&v, "b=c");
	flat_strv(w, 4, &v);
	flat_bytes(w, 5, "\0\1\2", 3);
	is_int(flat_end(w, &e), 0, "end of a record");
	strv_free(&v);
}

static void test_round_trip(void)
{
	struct flat_writer w;
	struct flat_reader r;
	struct flat_field f;
	struct err e = ERR_INIT;
	const char *s = NULL;
	uint64_t n = 0;

	write_sample(&w);
	is_int(flat_open(&r, w.buf.data, w.buf.len, MAGIC, 2, &e), 0, "opens");
	is_int(r.version, 2, "version is read");
	ok(flat_next(&r, &f, &e) == 1 && f.tag == 1, "first field");
	is_int(flat_get_str(&f, &s, &e), 0, "is a string");
	is_str(s, "name", "string value");
	ok(flat_get_u64(&f, &n, &e) == -EBADMSG, "a string is no number");
	ok(flat_next(&r, &f, &e) == 1 && f.tag == 3, "a NULL string wrote nothing");
	is_int(flat_get_u64(&f, &n, &e), 0, "is a number");
	ok(n == UINT64_C(0x1122334455667788), "number value");
	ok(flat_next(&r, &f, &e) == 1 && f.tag == 4 && !flat_get_str(&f, &s, &e), "list item 1");
	is_str(s, "", "empty string");
	ok(flat_next(&r, &f, &e) == 1 && f.tag == 4 && !flat_get_str(&f, &s, &e), "list item 2");
	is_str(s, "b=c", "second item");
	ok(flat_next(&r, &f, &e) == 1 && f.tag == 5, "bytes");
	is_mem(f.data, f.len, "\0\1\2", 3, "bytes value");
	ok(flat_get_str(&f, &s, &e) == -EBADMSG, "bytes without NUL are no string");
	is_int(flat_next(&r, &f, &e), 0, "end");
	flat_free(&w);
}

static void test_refusals(void)
{
	struct flat_writer w;
	struct flat_reader r;
	struct err e = ERR_INIT;

	write_sample(&w);
	ok(flat_open(&r, w.buf.data, w.buf.len, MAGIC + 1, 2, &e) == -EBADMSG, "another magic");
	ok(flat_open(&r, w.buf.data, w.buf.len, MAGIC, 1, &e) == -EPROTO, "a newer version");
	ok(flat_open(&r, w.buf.data, w.buf.len, MAGIC, 3, &e) == -EPROTO, "an older version");
	ok(flat_open(&r, w.buf.data, w.buf.len - 1, MAGIC, 2, &e) == -EBADMSG, "a cut record");
	ok(flat_open(&r, w.buf.data, 15, MAGIC, 2, &e) == -EBADMSG, "less than a header");
	flat_free(&w);
}

/* The checksum covers all but the header; the header's own fields are compared one by one. */
static void test_every_flipped_bit_is_seen(void)
{
	struct flat_writer w;
	unsigned missed = 0;

	write_sample(&w);
	for (size_t bit = 0; bit < w.buf.len * 8; bit++) {
		struct flat_reader r;
		struct err e = ERR_INIT;

		w.buf.data[bit / 8] ^= (char)(1 << bit % 8);
		if (!flat_open(&r, w.buf.data, w.buf.len, MAGIC, 2, &e) && r.version == 2)
			missed++;
		w.buf.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	is_int(missed, 0, "one flipped bit anywhere is refused or another version");
	flat_free(&w);
}

int main(void)
{
	test_round_trip();
	test_refusals();
	test_every_flipped_bit_is_seen();
	return done_testing();
}
