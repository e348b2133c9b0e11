/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_UNPACK_H
#define CSBX_CMD_BUILD_UNPACK_H

/*
 * Puts the files that COPY and ADD take in their place. Through a pipe come a letter and a name
 * that end with a NUL ("F" and the name of the one file, or "D"), then a tar.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct selection;

#define UNPACK_ARCHIVES_MAX 64u

struct unpack_job {
	const char *dest;    /* absolute; with a slash at its end it is a directory in any case */
	int tar_in, tar_out; /* the pipe: written to, read from */
	int archives[UNPACK_ARCHIVES_MAX]; /* plain tars that ADD unpacks there */
	unsigned n_archives;
};

/* In the process that has entered the root. */
int unpack_run(const struct unpack_job *j, int root, struct err *e);

/* Sends what comes before the tar. */
int unpack_announce(const struct unpack_job *j, const struct selection *s, struct err *e);

/*
 * Archives among the files that were named themselves: they go from the selection into the job.
 * context: the tree they lie in.
 */
int unpack_find_archives(struct unpack_job *j, struct selection *s, int context, int tmp_dirfd,
			 struct err *e);
void unpack_close(struct unpack_job *j);

#endif
