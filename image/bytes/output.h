/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_OUTPUT_H
#define CSBX_IMAGE_OUTPUT_H

/*
 * A file that appears under its name complete or not at all. It grows as an unnamed file
 * (O_TMPFILE, open(2)), which vanishes with its last descriptor, however the process ends. If the
 * file system has no such files it grows as .NAME.XXXXXX; one that a killed process left is
 * recognised by its free lock and removed by the next output of the same name.
 */

#include <stdbool.h>

struct err;

struct output {
	int dirfd; /* the caller's */
	int fd;    /* to write to; -1: none */
	char *name;
	char *temporary; /* name in dirfd; NULL: unnamed */
	bool force;
};
#define OUTPUT_INIT      \
	{                \
		.fd = -1 \
	}

/* -EEXIST when name is there and not `force`, -EINVAL when it is a device or the like. Mode 0644
 * less the umask. */
int output_open(struct output *o, int dirfd, const char *name, bool force, struct err *e);

/* Flushes the file and gives it its name; an existing one is replaced only by `force`. */
int output_commit(struct output *o, struct err *e);

/* Drops what was not committed. */
void output_close(struct output *o);
#define _output_ __attribute__((cleanup(output_close)))

#endif
