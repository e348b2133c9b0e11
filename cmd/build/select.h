/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_SELECT_H
#define CSBX_CMD_BUILD_SELECT_H

/*
 * Selects the files that COPY and ADD take of a tree, the context's or a stage's: finds names,
 * matches patterns, walks directories, all beneath the tree's root by openat2(2). The tree's owner
 * may change it meanwhile; csbx never reads a file outside.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct digest;
struct err;
struct ignore;
struct strv;
struct tar_out;

#define SELECT_MAX 4000000u
#define SELECT_DEPTH_MAX 200u
#define SELECT_SUM_BYTES 41

struct selected {
	char *from; /* path beneath the root */
	char *to;   /* name below the destination */
	char *link; /* of a symbolic link */
	mode_t mode;
	int64_t mtime_s;
	uint64_t size;
	uint32_t uid, gid;
	char sum[SELECT_SUM_BYTES]; /* of the content that was hashed; "": none was */
	bool is_real;               /* no link leads to it: `from` is its own name */
	bool is_named;              /* it is a source itself, not found below one */
};

struct selection {
	struct selected *items;
	size_t n;
	unsigned n_sources; /* operands, after patterns */
	bool is_one_file; /* one source, and it is no directory: the destination may be its name */
};

struct select_from {
	int root; /* O_RDONLY|O_DIRECTORY or O_PATH */
	/* .dockerignore; of the context alone, else NULL. A file is ignored by its own name too,
	 * where a link leads to it. */
	const struct ignore *ignored;
	/* Directories of the host, by paths outside, that are not there, by whatever mount the root
	 * has them; NULL: none. A step could read csbx's own in a copy of the context; beneath a
	 * mount of it a start hides them. */
	const struct strv *own;
	const struct ignore *excluded; /* --exclude, by names below the source; NULL: none */
	bool parents;                  /* --parents: names keep the directories of the source */
};

/* -ENOENT: `"/name": not found`. */
int select_sources(const struct select_from *f, const struct strv *sources, struct selection *ret,
		   struct err *e);
void selection_free(struct selection *s);

/*
 * Names, modes and contents: a change of one of them makes another COPY. Owners and times do not
 * count. The files that are packed must have these contents.
 */
int selection_hash(struct selection *s, int root, struct digest *ret, struct err *e);

/* Opens it to be read: the file itself, if it still is one. */
int selected_open(const struct selected *x, int root, struct err *e);
/* A copy of a file in a file without a name, read from its beginning. -EBUSY: as below. */
int selected_copy(const struct selected *x, int root, int tmp_dirfd, struct err *e);

/* The owners and modes that files get; -1 each: as they are (owners: 0). */
struct select_rules {
	int64_t uid, gid, mode;
	bool keep_owner, keep_set_ids;
};

/* As members of a tar. -EBUSY: a file is not as it was hashed. */
int selection_pack(const struct selection *s, int root, const struct select_rules *rules,
		   struct tar_out *out, struct err *e);

#endif
