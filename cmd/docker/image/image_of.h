/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_OF_H
#define CSBX_CMD_DOCKER_IMAGE_OF_H

/* The image that an operand of run and create stands for, fetched when it is not there. */

struct docker;
struct docker_run_args;

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
int docker_image_of(struct docker *d, const struct docker_run_args *a, const char *operand,
		    struct docker_image *ret);
void docker_image_free(struct docker_image *i);

#endif
