/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/clean.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/str.h"

/* Takes the last component away; false where there is none that may go. */
static bool drop_last(struct strbuf *b, size_t root)
{
	size_t n = b->len;

	while (n > root && b->data[n - 1] != '/')
		n--;
	if (b->len == root || str_eq(b->data + n, ".."))
		return false;
	b->len = n > root ? n - 1 : root;
	b->data[b->len] = 0;
	return true;
}

char *path_clean(const char *path)
{
	struct strbuf out = STRBUF_INIT;
	size_t root = *path == '/';

	if (root)
		strbuf_addch(&out, '/');
	while (*path) {
		size_t len = strcspn(path, "/");
		bool up = len == 2 && !strncmp(path, "..", 2);

		if (up && out.len && drop_last(&out, root)) {
			/* gone */
		} else if (len && !(len == 1 && *path == '.') && !(up && root)) {
			if (out.len > root)
				strbuf_addch(&out, '/');
			strbuf_add(&out, path, len);
		}
		path += len + (path[len] == '/');
	}
	if (!out.len)
		strbuf_addch(&out, '.');
	return strbuf_take(&out);
}
