/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_SAVE_H
#define CSBX_CMD_DOCKER_IMAGE_SAVE_H

struct docker;
struct err;

struct docker_save_to {
	const char *file; /* NULL: to fd */
	int fd;
	int (*ready)(void *arg, struct err *e); /* all operands are there; NULL allowed */
	void *arg;
};

/* The archive of the images that these operands stand for. -ENOENT: one of them for none. */
int docker_save_images(struct docker *d, int argc, char **argv, const struct docker_save_to *to,
		       struct err *e);

#endif
