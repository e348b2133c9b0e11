/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_TAR_IMAGE_H
#define CSBX_CMD_DOCKER_IMAGE_TAR_IMAGE_H

/* The image that docker import and docker commit make: one layer, which is a tar. */

#include "cmd/docker/image/change.h"
#include "image/table/table.h"

struct docker;
struct err;
struct strv;

struct tar_image {
	const char *name;           /* canonical; NULL: the image gets none */
	const char *platform;       /* NULL: this machine's */
	const struct strv *changes; /* instructions, as given to --change */
	const char *comment, *author;
	bool created_by_command; /* its history says the command it runs */
	/* The image that it was made from, whose history it continues; NULL: none is known. */
	const struct image_record *made_from;
};

/*
 * The name that an operand gives an image, into *ret (caller frees): canonical, NULL for an empty
 * operand. -EINVAL in the words of docker's program for what is none, -EOPNOTSUPP for one with a
 * digest, which no image can be given.
 */
int tar_image_name(const char *operand, char **ret, struct err *e);

/* -EINVAL in docker's words if any of them is no instruction. */
int tar_image_check(const struct strv *changes, struct err *e);

/*
 * Sets the configuration of src, whose one layer has its diff_id, as below. below: diff_ids of what
 * that layer lies over; NULL: nothing.
 */
struct image_source;
int tar_image_config(const struct tar_image *image, struct image_change *config,
		     const struct strv *below, struct image_source *src, struct err *e);

/* docker import (import.c) of the tar in fd. */
struct docker_import_how {
	const char *name, *platform; /* as above */
	const char *message;         /* NULL: "Imported from FILE" */
	const char *file;
	const struct strv *changes;
};
int docker_import_tar(struct docker *d, const struct docker_import_how *how, int fd,
		      char ret_id[IMAGE_ID_BYTES], struct err *e);

/*
 * Adds the tar in tar_fd, read from where it stands, to the images beneath dirfd. config: the
 * image's configuration, to which the changes are made; it stays the caller's.
 */
int tar_image_add(struct docker *d, int dirfd, int tar_fd, const struct tar_image *image,
		  struct image_change *config, char ret_id[IMAGE_ID_BYTES], struct err *e);

#endif
