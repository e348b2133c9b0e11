/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/bundle.h"

#include <string.h>
#include <unistd.h>

#define MAGIC_BYTES 16
#define EXTENT_BYTES 16

static const char magic[MAGIC_BYTES] = "csbx bundle 1\n\0";

static uint64_t get64(const unsigned char *p)
{
	uint64_t v = 0;

	for (int i = 7; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

static void put64(unsigned char *p, uint64_t v)
{
	for (int i = 0; i < 8; i++, v >>= 8)
		p[i] = (unsigned char)v;
}

bool bundle_parse(const unsigned char trailer[BUNDLE_TRAILER_BYTES], uint64_t file_bytes,
		  struct bundle *ret)
{
	uint64_t room;

	if (file_bytes < BUNDLE_TRAILER_BYTES || memcmp(trailer, magic, MAGIC_BYTES) != 0)
		return false;
	room = file_bytes - BUNDLE_TRAILER_BYTES;
	for (int i = 0; i < BUNDLE_PARTS; i++) {
		const unsigned char *p = trailer + MAGIC_BYTES + i * EXTENT_BYTES;
		struct bundle_extent x = {get64(p), get64(p + 8)};

		if (!x.bytes || x.offset > room || x.bytes > room - x.offset)
			return false;
		ret->parts[i] = x;
	}
	return ret->parts[BUNDLE_IMAGE].offset % BUNDLE_ALIGN == 0;
}

void bundle_format(const struct bundle *b, unsigned char ret_trailer[BUNDLE_TRAILER_BYTES])
{
	memset(ret_trailer, 0, BUNDLE_TRAILER_BYTES);
	memcpy(ret_trailer, magic, MAGIC_BYTES);
	for (int i = 0; i < BUNDLE_PARTS; i++) {
		unsigned char *p = ret_trailer + MAGIC_BYTES + i * EXTENT_BYTES;

		put64(p, b->parts[i].offset);
		put64(p + 8, b->parts[i].bytes);
	}
}

bool bundle_read(int fd, struct bundle *ret)
{
	unsigned char trailer[BUNDLE_TRAILER_BYTES];
	off_t end = lseek(fd, 0, SEEK_END);

	if (end < BUNDLE_TRAILER_BYTES)
		return false;
	if (pread(fd, trailer, sizeof(trailer), end - BUNDLE_TRAILER_BYTES) != sizeof(trailer))
		return false;
	return bundle_parse(trailer, (uint64_t)end, ret);
}
