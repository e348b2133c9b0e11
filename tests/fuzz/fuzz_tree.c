/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The merge on layers that a few bytes stand for, so that the fuzzer spends its time on meetings
 * of names and not on tar headers. A byte picks what to do, the next ones a path of one to four
 * components out of a small alphabet, whiteouts included.
 */
#include <stdio.h>

#include "image/squash/tree.h"
#include "runtime/base/err.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tree_check.h"

#define LAYERS 4

struct input {
	const uint8_t *p, *end;
};

static uint8_t next(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

static void read_path(struct input *in, bool whiteouts, char *out, size_t size)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	static const char *const last[] = {
		"a", "b", "c", "d", ".wh.a", ".wh.b", ".wh..wh..opq", ".wh..wh.x"};
	uint8_t shape = next(in);
	unsigned n = shape >> 6;

	*out = 0;
	for (unsigned i = 0; i < n; i++)
		snprintf(out + strlen(out), size - strlen(out), "%s/", names[shape >> (2 * i) & 3]);
	snprintf(out + strlen(out), size - strlen(out), "%s",
		 whiteouts ? last[next(in) & 7] : names[next(in) & 3]);
}

static void read_target(struct input *in, char *out, size_t size)
{
	static const char *const targets[] = {"a", "b", "../a", "/b", "c/d", "../../c/../d",
					      "/", ".."};

	snprintf(out, size, "%s", targets[next(in) & 7]);
}

static void read_layer(struct input *in, struct layer_index *x)
{
	while (in->p < in->end) {
		char path[64], link[64];
		struct layer_entry entry = {.path = path, .mode = 0644};
		uint8_t what = next(in);

		if (what == 0xff)
			return;
		entry.type = (enum entry_type)(what % 7);
		entry.size_bytes = entry.type == ENTRY_FILE ? what : 0;
		read_path(in, what & 0x80, path, sizeof(path));
		if (entry.type == ENTRY_HARDLINK)
			read_path(in, false, link, sizeof(link));
		else if (entry.type == ENTRY_SYMLINK)
			read_target(in, link, sizeof(link));
		if (entry.type == ENTRY_HARDLINK || entry.type == ENTRY_SYMLINK)
			entry.link = link;
		FUZZ_ASSERT(layer_index_add(x, &entry, NULL) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	struct layer_index layers[LAYERS] = {0};
	uint64_t seed[2] = {size, 42};
	struct tree t;
	int r = tree_init(&t, seed, NULL);

	for (size_t i = 0; r == 0 && i < LAYERS; i++) {
		read_layer(&in, &layers[i]);
		r = tree_apply(&t, &layers[i], NULL);
		if (r == 0)
			tree_check(&t);
	}
	tree_free(&t);
	for (size_t i = 0; i < LAYERS; i++)
		layer_index_free(&layers[i]);
	return 0;
}
