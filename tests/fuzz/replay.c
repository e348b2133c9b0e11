/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without a fuzzer: `replay DIRECTORY [MUTATIONS]` feeds every file of the
 * directory, the empty input, and of each file a fixed number of variants made by a generator
 * with a fixed seed, so that two runs do the same. Prints TAP; a crash prints no plan. Before a
 * target runs, the input lies in the file named by FUZZ_LAST where that is set.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_MAX (1u << 20)
#define DEFAULT_MUTATIONS 200

struct replay {
	uint64_t random;
	unsigned long n_inputs;
	const char *last_path;
};

/* xorshift64*: small, and the same everywhere. */
static uint32_t next_random(struct replay *r)
{
	r->random ^= r->random >> 12;
	r->random ^= r->random << 25;
	r->random ^= r->random >> 27;
	return (uint32_t)((r->random * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

static void keep_input(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return;
	fwrite(data, 1, size, f);
	fclose(f);
}

/* The target gets memory of exactly this size, so that a sanitizer sees a read beyond it. */
static void feed(struct replay *r, const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	if (r->last_path)
		keep_input(r->last_path, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	r->n_inputs++;
}

static size_t mutate_once(struct replay *r, uint8_t *data, size_t size)
{
	static const uint8_t special[] = {0,   1,   0x7f, 0x80, 0xff, '/',
					  '.', '"', '\\', '\n', ' ',  '-'};
	size_t at = next_random(r) % size;
	size_t len = 1 + next_random(r) % 16;

	switch (next_random(r) % 6) {
	case 0: /* one bit */
		data[at] ^= (uint8_t)(1u << (next_random(r) % 8));
		return size;
	case 1: /* a byte parsers care about */
		data[at] = special[next_random(r) % sizeof(special)];
		return size;
	case 2: /* cut short */
		return at ? at : size;
	case 3: /* drop a range */
		if (len >= size - at)
			return size;
		memmove(data + at, data + at + len, size - at - len);
		return size - len;
	case 4: /* double a range */
		if (len > size - at || size + len > INPUT_MAX)
			return size;
		memmove(data + at + len, data + at, size - at);
		return size + len;
	default: /* random byte */
		data[at] = (uint8_t)next_random(r);
		return size;
	}
}

static void feed_mutations(struct replay *r, const uint8_t *data, size_t size, unsigned n)
{
	uint8_t *buf = malloc(INPUT_MAX);

	if (!buf)
		abort();
	for (unsigned i = 0; size && i < n; i++) {
		size_t len = size;
		unsigned rounds = 1 + next_random(r) % 4;

		memcpy(buf, data, size);
		while (rounds-- && len)
			len = mutate_once(r, buf, len);
		feed(r, buf, len);
	}
	free(buf);
}

static int replay_file(struct replay *r, int dirfd, const char *name, unsigned mutations)
{
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	uint8_t *data = malloc(INPUT_MAX);
	ssize_t size = fd < 0 || !data ? -1 : read(fd, data, INPUT_MAX);

	if (size < 0) {
		printf("# cannot read %s\n", name);
	} else {
		feed(r, data, (size_t)size);
		feed_mutations(r, data, (size_t)size, mutations);
	}
	if (fd >= 0)
		close(fd);
	free(data);
	return size < 0 ? -1 : 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Files in the order of their names, so that the generator gives each the same variants. */
static int replay_directory(struct replay *r, const char *path, unsigned mutations)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, NULL, by_name), n_files = 0, failed = 0;
	int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.') {
			n_files++;
			failed |= replay_file(r, dirfd, list[i]->d_name, mutations);
		}
		free(list[i]);
	}
	free(list);
	if (dirfd >= 0)
		close(dirfd);
	return failed ? -1 : n_files;
}

int main(int argc, char **argv)
{
	struct replay r = {.random = UINT64_C(0x9e3779b97f4a7c15),
			   .last_path = getenv("FUZZ_LAST")};
	int n_files;

	if (argc < 2) {
		fprintf(stderr, "usage: %s DIRECTORY [MUTATIONS]\n", argv[0]);
		return 2;
	}
	feed(&r, (const uint8_t *)"", 0);
	n_files = replay_directory(&r, argv[1],
				   argc > 2 ? (unsigned)atoi(argv[2]) : DEFAULT_MUTATIONS);
	printf("%sok 1 - %d files, %lu inputs\n1..1\n", n_files > 0 ? "" : "not ", n_files,
	       r.n_inputs);
	if (n_files <= 0)
		printf("# no readable seed file in %s\n", argv[1]);
	return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
