/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_TESTS_TAR_WRITER_H
#define CSBX_TESTS_TAR_WRITER_H

/* Writes tar members into a buffer, well-formed or not, for tests of readers. */

#include <stdio.h>
#include <string.h>

#include "runtime/base/str.h"

struct tar_member {
	const char *name;
	char type; /* 0: '0' */
	const char *data;
	const char *link;
	const char *prefix; /* of the POSIX name split */
	const char *size;   /* text of the size field instead of the true one */
	bool gnu;           /* GNU's magic */
	bool bad_checksum;
};

static inline void tar_pad(struct strbuf *b)
{
	while (b->len % 512)
		strbuf_addch(b, 0);
}

static inline void tar_checksum(unsigned char *h)
{
	unsigned sum = 0;

	memset(h + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += h[i];
	snprintf((char *)h + 148, 8, "%06o", sum);
}

static inline void tar_add(struct strbuf *b, const struct tar_member *m)
{
	unsigned char h[512] = {0};
	size_t len = m->data ? strlen(m->data) : 0;

	memcpy(h, m->name, strnlen(m->name, 100));
	memcpy(h + 100, "0000644", 8);
	memcpy(h + 108, "0000000", 8);
	memcpy(h + 116, "0000000", 8);
	snprintf((char *)h + 124, 12, "%011o", (unsigned)len);
	if (m->size)
		memcpy(h + 124, m->size, 12);
	memcpy(h + 136, "00000000000", 12);
	h[156] = (unsigned char)(m->type ? m->type : '0');
	if (m->link)
		memcpy(h + 157, m->link, strnlen(m->link, 100));
	memcpy(h + 257, m->gnu ? "ustar  " : "ustar\00000", 8);
	if (m->prefix)
		memcpy(h + 345, m->prefix, strnlen(m->prefix, 155));
	tar_checksum(h);
	if (m->bad_checksum)
		h[150] ^= 1;
	strbuf_add(b, h, sizeof(h));
	if (len)
		strbuf_add(b, m->data, len);
	tar_pad(b);
}

static inline void tar_end(struct strbuf *b)
{
	static const char zeros[1024];

	strbuf_add(b, zeros, sizeof(zeros));
}

/* "LEN key=value\n" for a PAX header. */
static inline void tar_pax_record(struct strbuf *b, const char *key, const char *value)
{
	size_t body = strlen(key) + strlen(value) + 3, len = body;

	for (size_t digits = 1, limit = 10; body + digits >= limit; digits++, limit *= 10)
		len = body + digits + 1;
	if (len == body)
		len = body + 1;
	strbuf_addf(b, "%zu %s=%s\n", len, key, value);
}

#endif
