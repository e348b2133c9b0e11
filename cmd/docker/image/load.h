/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_LOAD_H
#define CSBX_CMD_DOCKER_IMAGE_LOAD_H

struct docker;
struct err;
struct image_wish;
struct strbuf;

struct docker_load {
	/* Lines of what was loaded, after each image. -errno ends it: -EPIPE is returned then. */
	int (*told)(void *arg, const struct strbuf *lines);
	void *arg;
};

/*
 * The images of an archive in fd (image_archive.h). An image that was loaded is told even if a
 * later one fails.
 */
int docker_load_images(struct docker *d, int fd, const struct image_wish *wish,
		       const struct docker_load *how, struct err *e);

/* Opens a file that the caller names, or says why not: -errno. */
int docker_open_input(const char *path);

#endif
