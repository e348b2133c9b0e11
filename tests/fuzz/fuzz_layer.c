/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tars to a merged tree. The input is up to three layers, each behind two bytes of length, plain
 * or compressed. Checksums of plain headers are put right, or the fuzzer would see few of them.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/layer/index.h"
#include "image/squash/tree.h"
#include "runtime/base/err.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tree_check.h"

#define LAYERS 3
#define MAX_BYTES (4u << 20)

static void fix_checksums(uint8_t *p, size_t len)
{
	for (; len >= 512; p += 512, len -= 512) {
		unsigned sum = 8 * ' ';

		if (memcmp(p + 257, "ustar", 5) != 0)
			continue;
		for (int i = 0; i < 512; i++)
			sum += i >= 148 && i < 156 ? 0 : p[i];
		snprintf((char *)p + 148, 8, "%06o", sum);
	}
}

static void check_entry(const struct layer_entry *n)
{
	size_t len = strlen(n->path);

	FUZZ_ASSERT(len <= LAYER_PATH_MAX && n->path[0] != '/' &&
		    (!len || n->path[len - 1] != '/'));
	FUZZ_ASSERT(!strstr(n->path, "//") && strcmp(n->path, "..") != 0 &&
		    strncmp(n->path, "../", 3) != 0 && !strstr(n->path, "/../"));
	FUZZ_ASSERT(len || n->type == ENTRY_DIRECTORY);
	FUZZ_ASSERT(n->mode <= 07777 && n->size_bytes <= MAX_BYTES);
	FUZZ_ASSERT(!n->size_bytes || n->type == ENTRY_FILE);
	FUZZ_ASSERT((n->link != NULL) == (n->type == ENTRY_SYMLINK || n->type == ENTRY_HARDLINK));
	for (size_t i = 0; i < n->n_xattrs; i++)
		FUZZ_ASSERT(layer_keeps_xattr(n->xattrs[i].name, false));
}

static int read_content(struct layer_reader *l, const struct layer_entry *n)
{
	uint64_t offset, end = 0;
	const void *data;
	size_t len;
	int r;

	while ((r = layer_reader_read(l, &data, &len, &offset, NULL)) > 0) {
		if (!len)
			continue;
		FUZZ_ASSERT(offset >= end && offset + len <= n->size_bytes);
		end = offset + len;
	}
	return r;
}

static int index_layer(int fd, size_t len, struct layer_index *x)
{
	struct source_layer src = {.fd = fd, .length = len};
	struct layer_options o = {.max_bytes = MAX_BYTES, .hash_plain = true};
	_layer_reader_ struct layer_reader *l = NULL;
	struct layer_entry n;
	int r = layer_reader_open(&l, &src, &o, NULL);

	while (r == 0 && (r = layer_reader_next(l, &n, NULL)) > 0) {
		check_entry(&n);
		r = layer_index_add(x, &n, NULL);
		if (r == 0 && n.type == ENTRY_FILE && x->n % 2)
			r = read_content(l, &n);
	}
	return r < 0 ? r : layer_reader_finish(l, &x->result, NULL);
}

static int load(const uint8_t *data, size_t len, struct layer_index *x)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), r;
	uint8_t *p;

	FUZZ_ASSERT(fd >= 0 && ftruncate(fd, (off_t)len) == 0);
	p = len ? mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : NULL;
	if (len) {
		FUZZ_ASSERT(p != MAP_FAILED);
		memcpy(p, data, len);
		fix_checksums(p, len);
		munmap(p, len);
	}
	r = index_layer(fd, len, x);
	close(fd);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct layer_index layers[LAYERS] = {0};
	uint64_t seed[2] = {size, 42};
	struct tree t;
	int r = tree_init(&t, seed, NULL);

	for (size_t i = 0; r == 0 && i < LAYERS && size >= 2; i++) {
		size_t len = data[0] | (size_t)data[1] << 8;

		data += 2;
		size -= 2;
		len = len < size ? len : size;
		r = load(data, len, &layers[i]);
		if (r == 0)
			r = tree_apply(&t, &layers[i], NULL);
		if (r == 0)
			tree_check(&t);
		data += len;
		size -= len;
	}
	tree_free(&t);
	for (size_t i = 0; i < LAYERS; i++)
		layer_index_free(&layers[i]);
	return 0;
}
