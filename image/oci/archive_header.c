/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/archive_header.h"

#include <errno.h>
#include <string.h>

/* Field offsets of struct posix_header, tar(5). */
enum {
	NAME = 0,
	NAME_LEN = 100,
	SIZE = 124,
	SIZE_LEN = 12,
	CHECKSUM = 148,
	CHECKSUM_LEN = 8,
	TYPE = 156,
	LINK = 157,
	LINK_LEN = 100,
	MAGIC = 257,
	PREFIX = 345,
	PREFIX_LEN = 155,
	SPARSE_CONTINUES = 482,
};

int archive_header_decimal(const char *p, size_t len, uint64_t *ret)
{
	uint64_t v = 0;

	if (!len)
		return -EBADMSG;
	for (size_t i = 0; i < len; i++) {
		if (p[i] < '0' || p[i] > '9' || __builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(p[i] - '0'), &v))
			return -EBADMSG;
	}
	*ret = v;
	return 0;
}

/* Octal, blank-padded and ended by a blank or NUL; or GNU's base-256 with the top bit set. */
static int parse_number(const unsigned char *p, size_t len, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;

	if (p[0] & 0x80) {
		v = p[0] & 0x7f;
		for (i = 1; i < len; i++) {
			if (v >> 55) /* room for one more byte and the sign of an off_t */
				return -EBADMSG;
			v = v << 8 | p[i];
		}
		*ret = v;
		return 0;
	}
	while (i < len && p[i] == ' ')
		i++;
	for (; i < len && p[i] >= '0' && p[i] <= '7'; i++)
		v = v * 8 + (uint64_t)(p[i] - '0');
	for (; i < len; i++) {
		if (p[i] && p[i] != ' ')
			return -EBADMSG;
	}
	*ret = v;
	return 0;
}

/* The sum of all bytes with its own field as blanks; old tars summed signed bytes. */
static bool checksum_holds(const unsigned char *block)
{
	uint64_t want;
	int64_t plain = 0, sign = 0;

	if (parse_number(block + CHECKSUM, CHECKSUM_LEN, &want) < 0)
		return false;
	for (unsigned i = 0; i < ARCHIVE_BLOCK; i++) {
		unsigned char c = i - CHECKSUM < CHECKSUM_LEN ? ' ' : block[i];

		plain += c;
		sign += (signed char)c;
	}
	return (int64_t)want == plain || (int64_t)want == sign;
}

static void copy_field(char *dst, const unsigned char *src, size_t len)
{
	size_t n = strnlen((const char *)src, len);

	memcpy(dst, src, n);
	dst[n] = 0;
}

/* POSIX splits long names at a slash; GNU tar keeps other things in that field. */
static void copy_name(char *dst, const unsigned char *block)
{
	if (!memcmp(block + MAGIC, "ustar\0", 6) && block[PREFIX]) {
		copy_field(dst, block + PREFIX, PREFIX_LEN);
		dst += strlen(dst);
		*dst++ = '/';
	}
	copy_field(dst, block + NAME, NAME_LEN);
}

static enum member_type member_type(char flag, const char *name)
{
	size_t n = strlen(name);

	switch (flag) {
	case 0:
	case '0':
	case '7':
		return n && name[n - 1] == '/' ? MEMBER_DIRECTORY : MEMBER_FILE;
	case '1':
		return MEMBER_HARDLINK;
	case '2':
		return MEMBER_SYMLINK;
	case '5':
		return MEMBER_DIRECTORY;
	default:
		return MEMBER_OTHER;
	}
}

int archive_header_parse(const unsigned char *block, struct archive_header *ret)
{
	static const unsigned char zeros[ARCHIVE_BLOCK];
	char flag = (char)block[TYPE];

	if (!memcmp(block, zeros, sizeof(zeros)))
		return 0;
	*ret = (struct archive_header){.kind = HEADER_MEMBER};
	if (!checksum_holds(block) || parse_number(block + SIZE, SIZE_LEN, &ret->size_bytes) < 0)
		return -EBADMSG;
	copy_name(ret->name, block);
	copy_field(ret->link, block + LINK, LINK_LEN);
	if (flag == 'x' || flag == 'X')
		ret->kind = HEADER_PAX;
	else if (flag == 'g')
		ret->kind = HEADER_GLOBAL;
	else if (flag == 'L')
		ret->kind = HEADER_LONG_NAME;
	else if (flag == 'K')
		ret->kind = HEADER_LONG_LINK;
	else
		ret->type = member_type(flag, ret->name);
	if (flag >= '3' && flag <= '6')
		ret->size_bytes = 0; /* devices, directories and FIFOs have no data */
	ret->sparse_continues = flag == 'S' && block[SPARSE_CONTINUES];
	return 1;
}
