/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/tar_out.h"

#include <stdio.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/io.h"

#define BLOCK_BYTES 512u
#define HOLD_BYTES (128u << 10)
#define OCTAL7_MAX 07777777u
#define OCTAL11_MAX UINT64_C(077777777777)

/* A header block; POSIX.1-1988 "ustar". */
struct block {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
	char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct block) == BLOCK_BYTES, "a tar header is one block");

void tar_out_init(struct tar_out *t, int fd)
{
	*t = (struct tar_out){.fd = fd};
}

void tar_out_free(struct tar_out *t)
{
	strbuf_free(&t->buf);
	strbuf_free(&t->xattrs);
}

static int flush(struct tar_out *t, struct err *e)
{
	int r = strbuf_check(&t->buf, e);

	if (r >= 0 && t->buf.len)
		r = io_write_all(t->fd, t->buf.data, t->buf.len, e);
	strbuf_reset(&t->buf);
	return r;
}

static int put(struct tar_out *t, const void *data, size_t len, struct err *e)
{
	strbuf_add(&t->buf, data, len);
	t->pos += len;
	return t->buf.len < HOLD_BYTES ? strbuf_check(&t->buf, e) : flush(t, e);
}

static int pad_block(struct tar_out *t, struct err *e)
{
	static const char zeros[BLOCK_BYTES];
	size_t over = (size_t)(t->pos % BLOCK_BYTES);

	return over ? put(t, zeros, BLOCK_BYTES - over, e) : 0;
}

static void octal(char *field, size_t bytes, uint64_t value)
{
	for (size_t i = bytes - 1; i-- > 0; value >>= 3)
		field[i] = (char)('0' + (value & 7));
	field[bytes - 1] = 0;
}

/* Copies what fits; true when that was all of it. A field needs no NUL when it is full. */
static bool text(char *field, size_t bytes, const char *s)
{
	size_t n = strlen(s);

	memcpy(field, s, n < bytes ? n : bytes);
	return n <= bytes;
}

static void finish(struct block *b)
{
	const unsigned char *p = (const unsigned char *)b;
	uint64_t sum = 0;

	memset(b->checksum, ' ', sizeof(b->checksum));
	for (size_t i = 0; i < BLOCK_BYTES; i++)
		sum += p[i];
	octal(b->checksum, sizeof(b->checksum) - 1, sum);
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts its own digits. */
static void pax_bytes(struct strbuf *out, const char *key, const void *value, size_t bytes)
{
	size_t rest = strlen(key) + bytes + 3, len = rest + 1;
	char digits[24];

	while ((size_t)snprintf(digits, sizeof(digits), "%zu", len) + rest != len)
		len = (size_t)snprintf(digits, sizeof(digits), "%zu", len) + rest;
	strbuf_addf(out, "%zu %s=", len, key);
	strbuf_add(out, value, bytes);
	strbuf_addch(out, '\n');
}

static void pax_record(struct strbuf *out, const char *key, const char *value)
{
	pax_bytes(out, key, value, strlen(value));
}

void tar_out_xattr(struct tar_out *t, const char *name, const void *value, size_t len)
{
	_strbuf_ struct strbuf key = STRBUF_INIT;

	strbuf_addf(&key, "SCHILY.xattr.%s", name);
	pax_bytes(&t->xattrs, strbuf_str(&key), value, len);
	t->xattrs.failed |= key.failed;
}

static void pax_number(struct strbuf *out, const char *key, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long)value);
	pax_record(out, key, digits);
}

static uint64_t fit(struct strbuf *pax, const char *key, int64_t value, uint64_t max)
{
	if (value >= 0 && (uint64_t)value <= max)
		return (uint64_t)value;
	pax_number(pax, key, value);
	return 0;
}

static char type_of(const struct tar_header *h)
{
	if (h->hardlink)
		return '1';
	if (h->symlink)
		return '2';
	return S_ISDIR(h->mode) ? '5' : S_ISFIFO(h->mode) ? '6' : '0';
}

static void fill(struct block *b, struct strbuf *pax, const struct tar_header *h, uint64_t bytes)
{
	const char *link = h->hardlink ? h->hardlink : h->symlink ? h->symlink : "";

	*b = (struct block){.type = type_of(h), .magic = "ustar", .version = {'0', '0'}};
	if (!text(b->name, sizeof(b->name), h->path))
		pax_record(pax, "path", h->path);
	if (!text(b->link, sizeof(b->link), link))
		pax_record(pax, "linkpath", link);
	octal(b->mode, sizeof(b->mode), h->mode & 07777);
	octal(b->uid, sizeof(b->uid), fit(pax, "uid", h->uid, OCTAL7_MAX));
	octal(b->gid, sizeof(b->gid), fit(pax, "gid", h->gid, OCTAL7_MAX));
	octal(b->size, sizeof(b->size), fit(pax, "size", (int64_t)bytes, OCTAL11_MAX));
	octal(b->mtime, sizeof(b->mtime), fit(pax, "mtime", h->mtime_s, OCTAL11_MAX));
	octal(b->major, sizeof(b->major), 0);
	octal(b->minor, sizeof(b->minor), 0);
	finish(b);
}

static int put_pax(struct tar_out *t, const struct strbuf *pax, struct err *e)
{
	struct block b = {
		.name = "PaxHeaders", .type = 'x', .magic = "ustar", .version = {'0', '0'}};
	int r = strbuf_check(pax, e);

	octal(b.mode, sizeof(b.mode), 0644);
	octal(b.uid, sizeof(b.uid), 0);
	octal(b.gid, sizeof(b.gid), 0);
	octal(b.size, sizeof(b.size), pax->len);
	octal(b.mtime, sizeof(b.mtime), 0);
	finish(&b);
	if (r >= 0)
		r = put(t, &b, sizeof(b), e);
	if (r >= 0)
		r = put(t, pax->data, pax->len, e);
	return r < 0 ? r : pad_block(t, e);
}

int tar_out_member(struct tar_out *t, const struct tar_header *h, struct err *e)
{
	_strbuf_ struct strbuf pax = STRBUF_INIT;
	uint64_t bytes = type_of(h) == '0' ? (uint64_t)h->size_bytes : 0;
	struct block b;
	int r = 0;

	if (t->left)
		return err_set(e, EINVAL, "tar: a member lacks %llu bytes",
			       (unsigned long long)t->left);
	fill(&b, &pax, h, bytes);
	strbuf_add(&pax, strbuf_str(&t->xattrs), t->xattrs.len);
	pax.failed |= t->xattrs.failed;
	strbuf_reset(&t->xattrs);
	if (pax.len || pax.failed)
		r = put_pax(t, &pax, e);
	if (r >= 0)
		r = put(t, &b, sizeof(b), e);
	t->left = bytes;
	return r;
}

int tar_out_data(struct tar_out *t, const void *data, size_t len, struct err *e)
{
	int r;

	if (len > t->left)
		return err_set(e, EINVAL, "tar: more data than the member has room for");
	t->left -= len;
	r = put(t, data, len, e);
	return r < 0 || t->left ? r : pad_block(t, e);
}

int tar_out_zeros(struct tar_out *t, uint64_t len, struct err *e)
{
	static const char zeros[16384];
	int r = 0;

	while (r >= 0 && len) {
		size_t n = len < sizeof(zeros) ? (size_t)len : sizeof(zeros);

		r = tar_out_data(t, zeros, n, e);
		len -= n;
	}
	return r;
}

int tar_out_end(struct tar_out *t, struct err *e)
{
	static const char zeros[2 * BLOCK_BYTES];
	int r = put(t, zeros, sizeof(zeros), e);

	return r < 0 ? r : flush(t, e);
}
