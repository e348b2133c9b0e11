/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_DESTINATION_H
#define CSBX_CMD_IMAGE_DESTINATION_H

/*
 * The destination of an image that is made: a directory and a name in it. The directory is opened
 * first, by -o's path; the name may have to wait for what the image is called.
 */

#include <stdbool.h>

struct err;
struct image_source;
struct import_options;

struct destination {
	int dirfd;
	char *dir, *name; /* name: NULL until the image's own is known */
	char *path;       /* as the user may use it */
};
#define DESTINATION_INIT    \
	{                   \
		.dirfd = -1 \
	}

/* output: -o's value, or NULL: the current directory. */
int destination_open(struct destination *d, const char *output, struct err *e);

/* image: the file's name, with .sqsh, when output is NULL. */
int destination_set_name(struct destination *d, const char *output, const char *image,
			 struct err *e);

/* -EEXIST, or -EISDIR, when there is something of its name. */
int destination_check_free(const struct destination *d, struct err *e);

/*
 * Writes the image with the progress of it on stderr, and a line about it at the end unless
 * quiet; o's progress and cancel are set here. SIGINT and its like end the process when all is
 * cleaned up.
 */
int destination_write(const struct destination *d, const struct image_source *src,
		      const struct import_options *o, bool quiet, struct err *e);
void destination_close(struct destination *d);

#endif
