/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_STACK_TAR_H
#define CSBX_CMD_IMAGE_STACK_TAR_H

/*
 * The content of an image of the table that is a stack, as one tar: mounted as a start mounts it
 * and read by a process of its own in the image's user namespace.
 */

struct cmd;
struct err;
struct image_record;

int stack_tar_write(struct cmd *c, const struct image_record *rec, int tar_fd, struct err *e);

#endif
