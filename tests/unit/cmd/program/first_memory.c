/* SPDX-License-Identifier: Apache-2.0 */
/* The linker wraps csbx's calls only: here each function is called by its name. */
#include "cmd/program/first_memory.c"

#include "tests/unit/tap.h"

static unsigned n_real;

void *__real_malloc(size_t n)
{
	n_real++;
	return malloc(n);
}

void *__real_calloc(size_t n, size_t size)
{
	n_real++;
	return calloc(n, size);
}

void *__real_realloc(void *p, size_t n)
{
	n_real++;
	return realloc(p, n);
}

void *__real_aligned_alloc(size_t align, size_t n)
{
	n_real++;
	return aligned_alloc(align, n);
}

void __real_free(void *p)
{
	n_real++;
	free(p);
}

static bool is_filled(const unsigned char *p, unsigned char with, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != with)
			return false;
	}
	return true;
}

static void test_pieces(void)
{
	unsigned char *a = __wrap_malloc(1), *b = __wrap_malloc(100), *c = __wrap_malloc(0);

	ok(is_here(a) && is_here(b) && is_here(c), "the first pieces lie in the room");
	ok((uintptr_t)a % UNIT == 0 && (uintptr_t)b % UNIT == 0, "aligned for any type");
	memset(a, 1, 1);
	memset(b, 2, 100);
	ok(c && a[0] == 1 && is_filled(b, 2, 100), "they do not overlap");
	__wrap_free(c);
	ok(__wrap_malloc(5) == c, "the last one is used again when it is freed");
	__wrap_free(a);
	__wrap_free(a);
	ok(__wrap_malloc(1) != a, "another one is not");
	__wrap_free(NULL);
	ok(n_real == 1, "of all these the library sees the NULL alone");
}

/* Too much is asked for on purpose, and pieces at the end of the first memory stay. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_leaks=0";
}

static void test_zeroed(void)
{
	unsigned char *a = __wrap_malloc(1000), *b;

	memset(a, 0xff, 1000);
	__wrap_free(a);
	b = __wrap_calloc(200, 10);
	ok(b == a && is_filled(b, 0, 2000), "calloc empties what was in use before");
	ok(!__wrap_calloc(SIZE_MAX / 2, 3), "a product that is too large gives nothing");
}

static void test_growing(void)
{
	unsigned char *a = __wrap_malloc(10), *b, *c;

	memset(a, 7, 10);
	b = __wrap_realloc(a, 3000);
	ok(b == a && is_filled(b, 7, 10), "the last piece grows where it is");
	ok(__wrap_realloc(b, 5) == b, "none moves to shrink");
	memset(b, 8, 3000);
	c = __wrap_malloc(16);
	memset(c, 9, 16);
	a = __wrap_realloc(b, 4000);
	ok(a != b && is_here(a) && is_filled(a, 8, 3000), "one with another behind it moves");
	ok(is_filled(c, 9, 16), "and leaves that one alone");
	ok(is_here(__wrap_realloc(NULL, 10)), "of NULL it is malloc");
}

static void test_end(void)
{
	unsigned char *last = NULL, *p;
	unsigned before;

	for (int i = 0; i < 1000 && (p = __wrap_malloc(1000)) && is_here(p); i++) {
		memset(p, 3, 1000);
		last = p;
	}
	ok(last && last + 1000 <= room + ROOM_BYTES, "pieces end where the room ends");
	p = __wrap_malloc(ROOM_BYTES);
	ok(p && !is_here(p), "the library gives what has no place");
	__wrap_free(p);
	p = __wrap_realloc(last, 2 * ROOM_BYTES);
	ok(p && !is_here(p) && is_filled(p, 3, 1000), "a piece that outgrows the room moves out");
	p = __wrap_realloc(p, 10);
	ok(p && !is_here(p) && is_filled(p, 3, 10), "and stays there");
	__wrap_free(p);
	p = __wrap_calloc(1, ROOM_BYTES);
	ok(p && !is_here(p) && is_filled(p, 0, ROOM_BYTES), "likewise for calloc");
	__wrap_free(p);
	before = n_real;
	__wrap_free(__wrap_aligned_alloc(UNIT, 64));
	is_int(n_real, before, "an alignment that all pieces have is one of the room's");
	p = __wrap_aligned_alloc(256, 256);
	ok(p && !is_here(p) && (uintptr_t)p % 256 == 0, "a larger one is the library's");
	__wrap_free(p);
	ok(!is_here(p = __wrap_malloc(1)), "and all that follows");
	__wrap_free(p);
	p = __wrap_malloc(SIZE_MAX - 8);
	ok(!p, "no sum of sizes wraps around");
}

int main(void)
{
	test_pieces();
	test_zeroed();
	test_growing();
	test_end();
	return done_testing();
}
