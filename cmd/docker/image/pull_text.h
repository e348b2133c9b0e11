/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_PULL_TEXT_H
#define CSBX_CMD_DOCKER_IMAGE_PULL_TEXT_H

/* The output of `docker pull` if standard output is no terminal. */

#include <stdbool.h>

struct image_name;
struct image_source;

struct pull_text {
	const struct image_name *name;
	const char *canonical;
	const char *digest; /* of what the name stands for */
	bool same;          /* the name stood for this image before */
	bool quiet;
};

void pull_text_default_tag(void);
/* When the layers are there, and when the image has its name. */
void pull_text_begin(const struct pull_text *t, const struct image_source *src);
void pull_text_end(const struct pull_text *t, const struct image_source *src);

#endif
