/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of an outer tar. Every member lies inside the input, under a clean name, in order; what
 * a name leads to is a regular file of the index.
 */
#include "image/oci/archive_index.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

struct input {
	const uint8_t *data;
	size_t size;
	bool sign; /* give every header a checksum that holds, which mutations seldom have */
};

static void sign(unsigned char *block)
{
	unsigned sum = 0;
	char text[16];

	memset(block + 148, ' ', 8);
	for (unsigned i = 0; i < ARCHIVE_BLOCK; i++)
		sum += block[i];
	snprintf(text, sizeof(text), "%06o", sum & 0777777);
	memcpy(block + 148, text, 7);
}

static ssize_t read_input(void *arg, void *buf, size_t len, uint64_t offset, struct err *e)
{
	const struct input *in = arg;

	(void)e;
	if (offset >= in->size)
		return 0;
	if (len > in->size - offset)
		len = (size_t)(in->size - offset);
	memcpy(buf, in->data + offset, len);
	if (in->sign && len == ARCHIVE_BLOCK && in->data[offset])
		sign(buf);
	return (ssize_t)len;
}

static void check_name(const char *name)
{
	FUZZ_ASSERT(*name && *name != '/' && !str_has_suffix(name, "/") && !strstr(name, "//"));
	for (const char *p = name; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL) {
		size_t n = strcspn(p, "/");

		FUZZ_ASSERT(!(n == 1 && *p == '.') && !(n == 2 && !memcmp(p, "..", 2)));
	}
}

static void check_member(const struct archive_index *index, size_t i, size_t size)
{
	const struct archive_member *m = &index->members[i], *found = NULL;

	check_name(m->name);
	FUZZ_ASSERT(m->offset <= size && m->size_bytes <= size - m->offset);
	FUZZ_ASSERT(!i || strcmp(m[-1].name, m->name) <= 0);
	FUZZ_ASSERT(m->link || (m->type != MEMBER_SYMLINK && m->type != MEMBER_HARDLINK));
	FUZZ_ASSERT(archive_index_get(index, m->name));
	if (archive_index_find(index, m->name, &found, NULL) >= 0)
		FUZZ_ASSERT(found->type == MEMBER_FILE && !found->twice);
	else
		FUZZ_ASSERT(m->type != MEMBER_FILE || m->twice ||
			    archive_index_get(index, m->name)->twice);
}

static void scan(const uint8_t *data, size_t size, bool signed_headers)
{
	struct input input = {data, size, signed_headers};
	struct archive_input in = {.read = read_input, .arg = &input, .size_bytes = size};
	_archive_index_ struct archive_index index = {0};

	if (archive_index_scan(&in, &index, NULL) < 0)
		return;
	for (size_t i = 0; i < index.n; i++)
		check_member(&index, i, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	scan(data, size, false);
	scan(data, size, true);
	return 0;
}
