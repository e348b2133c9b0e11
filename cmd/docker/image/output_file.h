/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_OUTPUT_FILE_H
#define CSBX_CMD_DOCKER_IMAGE_OUTPUT_FILE_H

/*
 * The file that -o of save and export names: a regular file, there or not, which only the caller
 * may read. The new file takes its place when it is whole; until then, and on failure, an old one
 * stays as it is.
 */

#include "image/bytes/output.h"

struct output_file {
	int dirfd;
	struct output out; /* write to out.fd, then output_commit(&out) */
};
#define OUTPUT_FILE_INIT                        \
	{                                       \
		.dirfd = -1, .out = OUTPUT_INIT \
	}

/* Said before anything is read, in the client's words. 0, or the exit code. */
int output_file_check(const char *path, const char *what);

int output_file_open(struct output_file *f, const char *path, struct err *e);
/* Drops what was not committed. */
void output_file_close(struct output_file *f);

#endif
