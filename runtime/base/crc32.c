/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/crc32.h"

#define POLYNOMIAL 0xedb88320u
#define TABLES 8

/* Eight bytes a step: table k is what a byte does to the sum when k more bytes follow it. */
static void make_tables(uint32_t t[TABLES][256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
		t[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++) {
		for (int k = 1; k < TABLES; k++)
			t[k][i] = t[0][t[k - 1][i] & 0xff] ^ t[k - 1][i] >> 8;
	}
}

uint32_t crc32_add(uint32_t crc, const void *buf, size_t len)
{
	const unsigned char *p = buf;
	uint32_t t[TABLES][256];

	make_tables(t);
	crc = ~crc;
	for (; len >= 8; p += 8, len -= 8) {
		uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
				      (uint32_t)p[3] << 24);

		crc = t[7][low & 0xff] ^ t[6][low >> 8 & 0xff] ^ t[5][low >> 16 & 0xff] ^
		      t[4][low >> 24] ^ t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]];
	}
	for (; len; p++, len--)
		crc = t[0][(crc ^ *p) & 0xff] ^ crc >> 8;
	return ~crc;
}
