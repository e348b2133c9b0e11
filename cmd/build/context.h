/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_CONTEXT_H
#define CSBX_CMD_BUILD_CONTEXT_H

/*
 * The files that a build is given: the context, a directory or a tar, and the Dockerfile.
 * Everything in a directory is found beneath its descriptor.
 */

#include <stdbool.h>

#include "cmd/build/dockerfile/ignore.h"
#include "runtime/base/str.h"

struct err;
struct paths;

struct build_context {
	int root;                 /* O_RDONLY|O_DIRECTORY; -1: there is none */
	char *path;               /* of a directory the caller named, absolute; NULL: of none */
	struct strbuf dockerfile; /* its text */
	char *name;               /* how messages call it */
	struct ignore ignored;
	struct strv own; /* csbx's own directories, which are left out whatever leads there */
	int tmp_dirfd;   /* where an unpacked context lies: */
	char *tmp_name;  /* below it, removed at the end; NULL: none */
};
#define BUILD_CONTEXT_INIT                   \
	{                                    \
		.root = -1, .tmp_dirfd = -1, \
	}

struct build_context_how {
	/* A directory; "-" or a URL of http or https: a Dockerfile, or a tar. */
	const char *operand;
	const char *file; /* --file, NULL or "-" */
	bool has_network; /* URLs are fetched */
	int tmp_dirfd;    /* where a tar may be unpacked */
	const struct paths *paths;
};
/* Errors are in docker's words. */
int build_context_open(struct build_context *c, const struct build_context_how *how, struct err *e);
/* By its first bytes: a tar, or something compressed that may be one. */
bool build_is_archive(int fd);
bool build_is_tar(int fd);
bool build_is_packed(int fd); /* by bzip2 or xz */
/*
 * A descriptor for tree_unpack() of an archive in a file, read from its beginning: a plain tar in
 * tmp_dirfd, or of bzip2 and xz, which the reader of tars unpacks, the file itself where it begins
 * with a member.
 */
int build_tar_file(int fd, int tmp_dirfd, struct err *e);

void build_context_close(struct build_context *c);

#endif
