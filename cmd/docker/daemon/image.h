/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_IMAGE_H
#define CSBX_CMD_DOCKER_DAEMON_IMAGE_H

/* The image that an operand of run and create stands for. */

#include <stdbool.h>

struct docker_fault;
struct paths;

struct docker_image {
	char *path; /* of its squashfs file, or what the operand names as a path */
	char *id;   /* "sha256:...", NULL for a path */
	char *ref;  /* the operand */
};

/*
 * Looks in the table of images. A path (it begins with '/' or './', or ends in .sqsh) is an image
 * file or directory of the caller's. 404 from ERR_NO_IMAGE: there is none; 400: the operand is no
 * name, or the beginning of several ids. docker_image_free() in any case.
 */
int docker_image_find(const struct paths *p, const char *operand, struct docker_image *ret,
		      struct docker_fault *f);
void docker_image_free(struct docker_image *i);

/* The operand names a file or a directory, not an image of the table. */
bool docker_image_is_path(const char *operand);

/* As docker names it in messages: with the tag. Caller frees. 400: it is no name. */
int docker_image_full_name(const char *operand, char **ret, struct docker_fault *f);

#endif
