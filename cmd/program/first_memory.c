/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first memory that csbx asks for. It lives for milliseconds and needs some 30 KB, which its C
 * library spreads, by size, over as many pages as there are sizes: each is a system call, a page
 * fault to write to it, and another where pid 1 has a copy. So what is asked for first lies side by
 * side here. What is freed stays, unless it was the last: a supervisor that lives on has the library's
 * memory for all that comes later, and gives it back there.
 *
 * The linker puts these functions in the place of the library's, which keep the names __real_
 * (--wrap in Makefile). csbx has one thread.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ROOM_BYTES (128u << 10)
#define UNIT 16u

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void __real_free(void *p);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void __wrap_free(void *p);

/* Before each piece. */
struct head {
	_Alignas(UNIT) size_t bytes; /* of the piece, without its head */
};

static _Alignas(4096) unsigned char room[ROOM_BYTES];
static size_t used, highest; /* what lies above highest has never been written to */
static bool is_closed;

static struct head *head_of(void *p)
{
	return (struct head *)p - 1;
}

static bool is_here(const void *p)
{
	return (uintptr_t)p - (uintptr_t)room < ROOM_BYTES;
}

static size_t end_of(void *p)
{
	return (size_t)((unsigned char *)p - room) + head_of(p)->bytes;
}

/* The end of a piece of n bytes that begins at `begin`, 0 where it does not fit. */
static size_t end_if_fits(size_t begin, size_t n)
{
	n = n < UNIT ? UNIT : n;
	if (is_closed || begin > ROOM_BYTES || n > ROOM_BYTES - begin)
		return 0;
	return begin + (n + UNIT - 1) / UNIT * UNIT;
}

static void end_at(size_t end)
{
	used = end;
	highest = end > highest ? end : highest;
}

static void *take(size_t n)
{
	size_t begin = used + sizeof(struct head), end = end_if_fits(begin, n);
	unsigned char *p = room + begin;

	if (!end)
		return NULL;
	head_of(p)->bytes = end - begin;
	end_at(end);
	return p;
}

void *__wrap_malloc(size_t n)
{
	void *p = take(n);

	return p ? p : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	size_t bytes, written = highest, begin;
	unsigned char *p = __builtin_mul_overflow(n, size, &bytes) ? NULL : take(bytes);

	if (!p)
		return __real_calloc(n, size);
	begin = (size_t)(p - room);
	if (written > begin)
		memset(p, 0, bytes < written - begin ? bytes : written - begin);
	return p;
}

void __wrap_free(void *p)
{
	if (!is_here(p))
		__real_free(p);
	else if (end_of(p) == used)
		used = (size_t)((unsigned char *)head_of(p) - room);
}

void *__wrap_realloc(void *p, size_t n)
{
	size_t begin, end, had;
	void *moved;

	if (!is_here(p))
		return p ? __real_realloc(p, n) : __wrap_malloc(n);
	had = head_of(p)->bytes;
	if (n <= had)
		return p;
	begin = (size_t)((unsigned char *)p - room);
	end = end_of(p) == used ? end_if_fits(begin, n) : 0;
	if (end) {
		head_of(p)->bytes = end - begin;
		end_at(end);
		return p;
	}
	moved = __wrap_malloc(n);
	if (moved) {
		memcpy(moved, p, had);
		__wrap_free(p);
	}
	return moved;
}

/* The library takes what it aligns more from malloc(), and has to find memory of its own there. */
void *__wrap_aligned_alloc(size_t align, size_t n)
{
	void *p = align <= UNIT ? take(n) : NULL;

	if (p)
		return p;
	is_closed = true;
	return __real_aligned_alloc(align, n);
}
