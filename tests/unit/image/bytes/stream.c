/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bytes/stream.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

/*
 * --- writers: gzip of stored blocks (RFC 1951 3.2.4), zstd of raw and RLE blocks (RFC 8878) -----
 */

static uint32_t gzip_crc(const uint8_t *p, size_t len)
{
	uint32_t c = ~0u;

	while (len--) {
		c ^= *p++;
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (0xedb88320u & -(c & 1));
	}
	return ~c;
}

static void add_le(struct strbuf *b, uint32_t v, int bytes)
{
	for (; bytes; bytes--, v >>= 8)
		strbuf_addch(b, (char)v);
}

static void gzip_member(struct strbuf *b, const void *data, size_t len)
{
	size_t done = 0;

	strbuf_add(b, "\x1f\x8b\x08\x08\0\0\0\0\0\3name", 15);
	do {
		size_t n = len - done < 65535 ? len - done : 65535;

		strbuf_addch(b, done + n == len);
		add_le(b, (uint32_t)n, 2);
		add_le(b, ~(uint32_t)n, 2);
		strbuf_add(b, (const char *)data + done, n);
		done += n;
	} while (done < len);
	add_le(b, gzip_crc(data, len), 4);
	add_le(b, (uint32_t)len, 4);
}

static void zstd_header(struct strbuf *b, uint8_t window_log)
{
	strbuf_add(b, "\x28\xb5\x2f\xfd\0", 5);
	strbuf_addch(b, (char)((window_log - 10) << 3));
}

static void zstd_frame(struct strbuf *b, const char *data)
{
	size_t len = strlen(data);

	zstd_header(b, 20);
	add_le(b, (uint32_t)len << 3 | 1, 3);
	strbuf_add(b, data, len);
}

static void zstd_bomb(struct strbuf *b, unsigned blocks)
{
	zstd_header(b, 20);
	while (blocks--) {
		add_le(b, (128u << 10) << 3 | 1 << 1 | (blocks == 0), 3);
		strbuf_addch(b, 'x');
	}
}

/*
 * --- reading -----------------------------------------------------------------------------------
 */

static int memfd(const struct strbuf *b)
{
	int fd = memfd_create("stream", MFD_CLOEXEC);

	if (fd >= 0 && io_pwrite_all(fd, strbuf_str(b), b->len, 0, NULL) < 0)
		exit(1);
	return fd;
}

static int read_all(const struct strbuf *stored, uint64_t max_bytes, struct strbuf *out,
		    struct stream_result *res, struct err *e)
{
	_close_ int fd = memfd(stored);
	struct stream_config c = {.fd = fd,
				  .length = stored->len,
				  .stored_alg = "sha256",
				  .plain_alg = "sha256",
				  .max_bytes = max_bytes};
	_stream_ struct stream *s = NULL;
	const void *data;
	ssize_t n;
	int r = stream_open(&s, &c, e);

	while (r == 0 && (n = stream_read(s, &data, e)) != 0) {
		if (n < 0)
			return (int)n;
		if (out)
			strbuf_add(out, data, (size_t)n);
	}
	return r < 0 ? r : stream_finish(s, res, e);
}

static void check(const struct strbuf *stored, const void *want, size_t len, const char *what)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct digest a = {0}, b = {0};
	struct stream_result res = {0};
	struct err e = ERR_INIT;
	int r = read_all(stored, 0, &out, &res, &e);

	is_mem(strbuf_str(&out), out.len, want, len, "%s: %s", what, r < 0 ? e.msg : "the bytes");
	digest_of(strbuf_str(stored), stored->len, &a, NULL);
	digest_of(want, len, &b, NULL);
	ok(digest_equal(&res.stored, &a) && digest_equal(&res.plain, &b) &&
		   res.stored_bytes == stored->len && res.plain_bytes == len,
	   "%s: digests and sizes", what);
}

static void check_bad(const struct strbuf *stored, const char *text, const char *what)
{
	struct stream_result res;
	struct err e = ERR_INIT;
	int r = read_all(stored, 0, NULL, &res, &e);

	ok(r < 0 && strstr(e.msg, text), "%s: %s", what, e.msg);
}

/*
 * --- tests -------------------------------------------------------------------------------------
 */

static char *pattern(size_t len)
{
	char *p = malloc(len);
	uint32_t v = 1;

	for (size_t i = 0; p && i < len; i++)
		p[i] = (char)((v = v * 1664525 + 1013904223) >> 24);
	return p;
}

static void test_gzip(void)
{
	_strbuf_ struct strbuf b = STRBUF_INIT, many = STRBUF_INIT, cut = STRBUF_INIT;
	_free_ char *data = pattern(900000);

	gzip_member(&b, data, 300001);
	check(&b, data, 300001, "gzip");
	gzip_member(&b, data + 300001, 0);
	gzip_member(&b, data + 300001, 262144);
	gzip_member(&b, data + 562145, 900000 - 562145);
	check(&b, data, 900000, "four members, one empty");
	for (size_t i = 0; i < 900000; i += 101)
		gzip_member(&many, data + i, i + 101 < 900000 ? 101 : 900000 - i);
	check(&many, data, 900000, "9000 members, across every kind of buffer edge");
	strbuf_add(&many, "\0\0\0", 3);
	check(&many, data, 900000, "zero padding at the end");
	strbuf_addch(&many, 'x');
	check_bad(&many, "garbage", "anything else there");
	strbuf_addch(&b, 0x1f);
	check_bad(&b, "too early", "half a header of a next member");
	for (size_t less = 1; less < 12; less++) {
		strbuf_reset(&cut);
		gzip_member(&cut, data, 50);
		cut.len -= less;
		check_bad(&cut, "too early", "truncated");
	}
	strbuf_reset(&cut);
	gzip_member(&cut, data, 50);
	cut.data[30] ^= 1;
	check_bad(&cut, "damaged", "wrong checksum");
	strbuf_reset(&cut);
	gzip_member(&cut, data, 50);
	cut.data[15] = 7;
	check_bad(&cut, "damaged", "no such block type");
}

static void test_zstd(void)
{
	_strbuf_ struct strbuf b = STRBUF_INIT, skip = STRBUF_INIT, wide = STRBUF_INIT;

	zstd_frame(&b, "one ");
	zstd_frame(&b, "two");
	check(&b, "one two", 7, "two zstd frames");
	strbuf_add(&b, "\x5f\x2a\x4d\x18\3\0\0\0toc", 11);
	check(&b, "one two", 7, "a skippable frame at the end");
	strbuf_add(&skip, "\x50\x2a\x4d\x18\1\0\0\0z", 9);
	strbuf_add(&skip, b.data, b.len);
	check(&skip, "one two", 7, "and at the front");
	b.len--;
	check_bad(&b, "too early", "truncated");
	strbuf_addstr(&b, "cgarbage");
	check_bad(&b, "zstd data", "garbage behind");
	zstd_header(&wide, 31);
	strbuf_add(&wide, "\x01\0\0", 3);
	check_bad(&wide, "zstd data", "a window of 2 GiB");
}

static void test_plain(void)
{
	static const struct {
		const char *magic, *name;
	} refused[] = {{"\xfd"
			"7zXZ",
			"xz"},
		       {"BZh9", "bzip2"},
		       {"\x04\x22\x4d\x18", "lz4"}};
	_strbuf_ struct strbuf b = STRBUF_INIT;
	_free_ char *data = pattern(600000);

	check(&b, "", 0, "nothing at all");
	strbuf_add(&b, data, 600000);
	check(&b, data, 600000, "plain bytes");
	for (size_t i = 0; i < 3; i++) {
		strbuf_reset(&b);
		strbuf_add(&b, refused[i].magic, strlen(refused[i].magic) + 1);
		check_bad(&b, refused[i].name, "not known");
	}
}

static void test_guards(void)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	struct stream_result res = {0};
	struct err e = ERR_INIT;

	zstd_bomb(&b, 16);
	is_int(read_all(&b, 2 << 20, NULL, &res, &e), 0, "exactly the limit");
	is_int(res.plain_bytes, 2 << 20, "is that much");
	is_int(read_all(&b, (2 << 20) - 1, NULL, &res, &e), -EFBIG, "%s", e.msg);
	strbuf_reset(&b);
	zstd_bomb(&b, 3 << 13);
	is_int(read_all(&b, 0, NULL, &res, &e), -EFBIG, "%s", e.msg);
}

static void test_range(void)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	_Atomic uint64_t count = 0;
	_Atomic int cancel = 0;
	struct stream_config c = {
		.offset = 4, .length = 3, .plain_alg = "sha512", .watch = {&count, &cancel}};
	struct stream *s = NULL;
	struct stream_result res;
	struct err e = ERR_INIT;
	const void *data;

	strbuf_addstr(&b, "....abc....");
	c.fd = memfd(&b);
	ok(!stream_open(&s, &c, &e) && stream_read(s, &data, &e) == 3 && !memcmp(data, "abc", 3),
	   "a range of a file");
	ok(!stream_finish(s, &res, &e) && str_eq(res.plain.alg, "sha512") && !res.stored.alg[0],
	   "the hashes that were asked for");
	is_int(count, 3, "bytes are counted");
	stream_close(&s);
	c.length = 8;
	is_int(stream_open(&s, &c, &e) < 0 ? e.code : stream_finish(s, &res, &e), -EBADMSG,
	       "the file is shorter: %s", e.msg);
	stream_close(&s);
	cancel = 1;
	is_int(stream_open(&s, &c, &e), -ECANCELED, "cancelled");
	stream_close(&s);
	close(c.fd);
}

int main(void)
{
	test_plain();
	test_gzip();
	test_zstd();
	test_guards();
	test_range();
	return done_testing();
}
