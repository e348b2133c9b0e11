/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_ARCHIVE_INDEX_H
#define CSBX_IMAGE_ARCHIVE_INDEX_H

/*
 * The places of the members of an uncompressed tar in its file, so that they can be read in any
 * order and twice. For the outer tar of docker- and OCI-archives, which holds a few hundred plain
 * files; the layers inside are read by image/layer/tar.h. Understands ustar, GNU long names,
 * base-256 numbers and the PAX keys path, linkpath and size (POSIX.1-2017 pax, "ustar Interchange
 * Format").
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

#define ARCHIVE_MEMBERS_MAX 100000
#define ARCHIVE_BLOCK 512u

enum member_type {
	MEMBER_FILE,
	MEMBER_DIRECTORY,
	MEMBER_SYMLINK,
	MEMBER_HARDLINK,
	MEMBER_OTHER, /* devices, sparse files: nothing we could read */
};

struct archive_member {
	char *name; /* clean: no leading "/" or "./", no "." or ".." component */
	char *link; /* target of a link as written, else NULL */
	enum member_type type;
	bool twice; /* another member, not both directories, has the same name */
	uint64_t offset, size_bytes;
};

struct archive_index {
	struct archive_member *members; /* sorted by name */
	size_t n, cap;
};

/* Reads up to len bytes at offset; short only at the end. -errno with e set. */
struct archive_input {
	ssize_t (*read)(void *arg, void *buf, size_t len, uint64_t offset, struct err *e);
	void *arg;
	uint64_t size_bytes;
};

/* Members whose name has a ".." component are left out: nothing can refer to them. */
int archive_index_scan(const struct archive_input *in, struct archive_index *ret, struct err *e);
void archive_index_free(struct archive_index *i);
#define _archive_index_ __attribute__((cleanup(archive_index_free)))

/* The member of exactly that name, links not followed; NULL when there is none. */
const struct archive_member *archive_index_get(const struct archive_index *i, const char *name);

/*
 * The regular file behind a name that may come from the archive itself. Links are followed inside
 * the archive, at most ARCHIVE_LINKS_MAX of them. -ENOENT when there is no such member; -EBADMSG
 * for a name that leaves the archive, a loop, a name that is there twice or no regular file.
 */
#define ARCHIVE_LINKS_MAX 8
int archive_index_find(const struct archive_index *i, const char *name,
		       const struct archive_member **ret, struct err *e);

#endif
