/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_OF_H
#define CSBX_CMD_DOCKER_IMAGE_OF_H

/* The image that an operand of run and create stands for, fetched when it is not there. */

#include <stdbool.h>

struct docker;

/* Flags of run and create that say how an image is fetched; NULL is the default. */
struct docker_pull {
	const char *policy; /* --pull: "missing", "always", "never" */
	const char *platform;
	bool quiet;
};

struct docker_image {
	char *path; /* of its squashfs file, or what the operand names as a path */
	char *id;   /* "sha256:...", NULL for a path */
	char *ref;  /* the operand */
};

/*
 * Looks in the table of images; with --pull, or when it is missing, csbx-image fetches it. A path
 * (it begins with '/' or './', or ends in .sqsh) is an image file or directory of the caller's.
 * Prints what is wrong; 0 or the exit code.
 */
int docker_image_of(struct docker *d, const char *operand, const struct docker_pull *pull,
		    struct docker_image *ret);
void docker_image_free(struct docker_image *i);

#endif
