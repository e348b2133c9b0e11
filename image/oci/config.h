/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_CONFIG_H
#define CSBX_IMAGE_CONFIG_H

/*
 * The image config (image-spec config.md; docker's is the same but for members we pass over) as a
 * struct. Strings are foreign and verbatim: no NUL, valid UTF-8, anything else.
 */

#include <stddef.h>

#include "image/model/source.h"

struct err;

struct image_config {
	char *arch, *os, *variant, *created; /* NULL = absent, as below */
	char *user, *workdir, *stop_signal;
	struct strv env, entrypoint, cmd;
	struct strv label_names, label_values; /* in step */
	struct strv volumes, ports;            /* "/data"; "80/tcp" */
	struct digest *diff_ids;
	size_t n_diff_ids;
};

int image_config_parse(const void *text, size_t len, struct image_config *ret, struct err *e);
void image_config_free(struct image_config *c);
#define _image_config_ __attribute__((cleanup(image_config_free)))

#endif
