/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_TAG_H
#define CSBX_CMD_DOCKER_IMAGE_TAG_H

struct err;

/*
 * Gives the image that an operand of docker's stands for a name. dirfd: the image table. -ENOENT,
 * -ENOTUNIQ, -EINVAL: it stands for none.
 */
int image_tag(int dirfd, const char *operand, const char *canonical, struct err *e);

#endif
