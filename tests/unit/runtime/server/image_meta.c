/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/image_meta.h"

#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "tests/unit/tap.h"

static void test_round_trip(void)
{
	struct flat_writer w;
	struct image_meta m;
	struct err e = ERR_INIT;

	flat_begin(&w, IMAGE_META_MAGIC, IMAGE_META_VERSION);
	flat_u64(&w, META_HAS_CONFIG, 1);
	flat_u64(&w, META_HAS_SHELL, 0);
	flat_str(&w, META_USER, "1000:100");
	flat_str(&w, META_ENV, "A=b");
	flat_str(&w, META_ENV, "");
	flat_str(&w, META_PORT, "80/tcp");
	flat_bytes(&w, META_PASSWD, "a\0b\n", 4);
	flat_bytes(&w, 999, "of a later version", 18);
	is_int(flat_end(&w, &e), 0, "written");
	is_int(image_meta_decode(&m, w.buf.data, w.buf.len, &e), 0, "read");
	memset(w.buf.data, 'x', w.buf.len);
	ok(m.has_config && !m.has_shell && !m.has_user_xattrs, "flags");
	is_str(m.user, "1000:100", "a string, from a copy of the record");
	ok(!m.arch && !m.ref, "what is not there is NULL");
	ok(m.env.n == 2 && !strcmp(m.env.items[0], "A=b") && !*m.env.items[1], "a list");
	ok(m.ports.n == 1 && !m.cmd.n, "another and an empty one");
	is_mem(m.passwd, m.passwd_len, "a\0b\n", 4, "bytes");
	image_meta_free(&m);
	ok(!m.record && !m.env.n, "freed");
	flat_free(&w);
}

static int decode_one(uint16_t tag, const void *data, size_t len)
{
	struct flat_writer w;
	struct image_meta m;
	struct err e = ERR_INIT;
	int r;

	flat_begin(&w, IMAGE_META_MAGIC, IMAGE_META_VERSION);
	flat_bytes(&w, tag, data, len);
	flat_end(&w, &e);
	r = image_meta_decode(&m, w.buf.data, w.buf.len, &e);
	flat_free(&w);
	if (r >= 0)
		image_meta_free(&m);
	return r;
}

static void test_refusals(void)
{
	static char big[IMAGE_META_FILE_MAX + 1];
	struct image_meta m;

	is_int(image_meta_decode(&m, "", 0, NULL), -EBADMSG, "nothing");
	is_int(image_meta_decode(&m, "junk, junk, junk, junk", 22, NULL), -EBADMSG, "junk");
	is_int(decode_one(META_USER, "a\0b", 4), -EBADMSG, "a string with a NUL in it");
	is_int(decode_one(META_ENV, "a", 1), -EBADMSG, "a list item without its NUL");
	is_int(decode_one(META_HAS_CONFIG, "1", 1), -EBADMSG, "a short number");
	is_int(decode_one(META_GROUP, big, sizeof(big)), -EBADMSG,
	       "a file longer than any is read");
	is_int(decode_one(META_GROUP, big, sizeof(big) - 1), 0, "a file of just that length");
}

int main(void)
{
	test_round_trip();
	test_refusals();
	return done_testing();
}
