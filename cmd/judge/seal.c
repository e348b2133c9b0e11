/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/seal.h"

#include <string.h>

#define BLOCK 64u
#define ROUNDS 10

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint8_t order[ROUNDS][16] = {
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

struct state {
	uint32_t h[8];
	uint64_t count;
	uint8_t block[BLOCK];
	size_t filled;
};

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void mix(uint32_t v[16], const uint8_t at[4], uint32_t x, uint32_t y)
{
	uint32_t *a = &v[at[0]], *b = &v[at[1]], *c = &v[at[2]], *d = &v[at[3]];

	*a += *b + x;
	*d = rotate(*d ^ *a, 16);
	*c += *d;
	*b = rotate(*b ^ *c, 12);
	*a += *b + y;
	*d = rotate(*d ^ *a, 8);
	*c += *d;
	*b = rotate(*b ^ *c, 7);
}

static uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void compress(struct state *s, int is_last)
{
	static const uint8_t lanes[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14},
					    {3, 7, 11, 15}, {0, 5, 10, 15}, {1, 6, 11, 12},
					    {2, 7, 8, 13},  {3, 4, 9, 14}};
	uint32_t m[16], v[16];

	for (size_t i = 0; i < 16; i++)
		m[i] = word(s->block + 4 * i);
	memcpy(v, s->h, sizeof(s->h));
	memcpy(v + 8, start, sizeof(start));
	v[12] ^= (uint32_t)s->count;
	v[13] ^= (uint32_t)(s->count >> 32);
	if (is_last)
		v[14] = ~v[14];
	for (size_t r = 0; r < ROUNDS; r++) {
		for (size_t i = 0; i < 8; i++)
			mix(v, lanes[i], m[order[r][2 * i]], m[order[r][2 * i + 1]]);
	}
	for (size_t i = 0; i < 8; i++)
		s->h[i] ^= v[i] ^ v[i + 8];
}

static void add(struct state *s, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len) {
		size_t n = BLOCK - s->filled;

		if (!n) { /* the last block is told apart: a full one waits for more */
			s->count += BLOCK;
			compress(s, 0);
			s->filled = 0;
			continue;
		}
		n = n < len ? n : len;
		memcpy(s->block + s->filled, p, n);
		s->filled += n;
		p += n;
		len -= n;
	}
}

void seal_make(const char key[SEAL_KEY_BYTES], uint64_t number, const char *record, size_t len,
	       char digits[SEAL_DIGITS])
{
	struct state s = {.filled = BLOCK};
	uint8_t bytes[8];

	memcpy(s.h, start, sizeof(start));
	s.h[0] ^= 0x01010000u | SEAL_KEY_BYTES << 8 | SEAL_DIGITS / 2;
	memcpy(s.block, key, SEAL_KEY_BYTES);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	add(&s, bytes, sizeof(bytes));
	add(&s, record, len);
	s.count += s.filled;
	memset(s.block + s.filled, 0, BLOCK - s.filled);
	compress(&s, 1);
	for (size_t i = 0; i < SEAL_DIGITS / 2; i++) {
		uint8_t b = (uint8_t)(s.h[i / 4] >> 8 * (i % 4));

		digits[2 * i] = "0123456789abcdef"[b >> 4];
		digits[2 * i + 1] = "0123456789abcdef"[b & 15];
	}
	explicit_bzero(&s, sizeof(s));
}
