/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_DELETE_H
#define CSBX_CMD_DOCKER_IMAGE_DELETE_H

/* Untagging and deleting images by the rules of docker's daemon (moby, images/image_delete.go). */

#include <stdbool.h>

struct err;
struct listed_list;
struct paths;
struct strv;

struct image_delete {
	const struct paths *paths;            /* for the journal */
	int dirfd;                            /* of the image table */
	const struct listed_list *containers; /* all there are */
	bool force;
};

/*
 * Each thing done is added to lines: "Untagged: app:latest", "Deleted: sha256:...". -ENOENT: no
 * such image; -EBUSY: a conflict, in docker's words.
 */
int image_delete(const struct image_delete *how, const char *operand, struct strv *lines,
		 struct err *e);

#endif
