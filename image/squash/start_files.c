/* SPDX-License-Identifier: Apache-2.0 */

/*
 * To decompress a block of 128 KiB takes 0.2 ms, and a program that starts through a new mount
 * waits for each in turn: 2 of the 13 ms of `true`, 10 of the 47 of `python3`, and as much of a
 * CPU that others could use. The files below are the same few MiB in nearly every image: the
 * program interpreter, the C library, the shell, Python. All other files that a program reads are
 * compressed.
 *
 * By name, because the data comes when all names are known, in pieces. A file found too many or too
 * few costs a few KiB or a few tenths of a millisecond.
 */
#include "image/squash/start_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/squash/tree.h"
#include "runtime/base/err.h"

#define FILE_BYTES_MAX (16u << 20) /* Python with all of its libraries inside has more */

enum rest { NOTHING, VERSION, LIBRARY };

static const struct {
	const char *begin;
	enum rest rest;
} start_files[] = {
	{"ld-", LIBRARY},       {"libc.so", VERSION}, {"libc-", LIBRARY},
	{"libm.so", VERSION},   {"libm-", LIBRARY},   {"libtinfo.so", VERSION},
	{"libpython", LIBRARY}, {"python", VERSION},  {"sh", NOTHING},
	{"dash", NOTHING},      {"bash", NOTHING},    {"ash", NOTHING},
	{"busybox", NOTHING},
};

static bool is_version(const char *s, size_t len)
{
	while (len && ((*s >= '0' && *s <= '9') || *s == '.')) {
		s++;
		len--;
	}
	return !len;
}

/* NAME.so, NAME.so.1 */
static bool is_library(const char *s, size_t len)
{
	const char *so = memmem(s, len, ".so", 3);

	return so && is_version(so + 3, len - (size_t)(so + 3 - s));
}

static bool is_rest(enum rest rest, const char *s, size_t len)
{
	if (rest == NOTHING)
		return !len;
	return rest == VERSION ? is_version(s, len) : is_library(s, len);
}

bool start_files_has(const char *name, unsigned len)
{
	for (size_t i = 0; i < sizeof(start_files) / sizeof(start_files[0]); i++) {
		size_t n = strlen(start_files[i].begin);

		if (len >= n && !memcmp(name, start_files[i].begin, n) &&
		    is_rest(start_files[i].rest, name + n, len - n))
			return true;
	}
	return false;
}

int start_files_find(const struct tree *t, bool **ret, struct err *e)
{
	bool *found = calloc(t->n_inodes ? t->n_inodes : 1, sizeof(*found));

	if (!found)
		return err_oom(e);
	for (uint32_t i = 0; i < t->n_dents; i++) {
		const struct tree_dent *d = &t->dents[i];
		const struct tree_inode *inode = &t->inodes[d->inode];

		if (d->live && inode->type == ENTRY_FILE && inode->size_bytes <= FILE_BYTES_MAX &&
		    start_files_has(tree_name(t, d), d->name_len))
			found[d->inode] = true;
	}
	*ret = found;
	return 0;
}
