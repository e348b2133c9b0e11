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

struct build_context {
	int root;                 /* O_RDONLY|O_DIRECTORY; -1: there is none */
	char *path;               /* of a directory the caller named, absolute; NULL: of none */
	struct strbuf dockerfile; /* its text */
	char *name;               /* how messages call it */
	struct ignore ignored;
	int tmp_dirfd;  /* where an unpacked context lies: */
	char *tmp_name; /* below it, removed at the end; NULL: none */
};
#define BUILD_CONTEXT_INIT                   \
	{                                    \
		.root = -1, .tmp_dirfd = -1, \
	}

/*
 * operand: a directory, or "-": standard input, which is a Dockerfile or a tar. file: --file, NULL
 * or "-". tmp_dirfd: where a tar may be unpacked. Errors are in docker's words.
 */
int build_context_open(struct build_context *c, const char *operand, const char *file,
		       int tmp_dirfd, struct err *e);
/* By its first bytes: a tar, or something compressed that may be one. */
bool build_is_archive(int fd);
bool build_is_tar(int fd);

void build_context_close(struct build_context *c);

#endif
