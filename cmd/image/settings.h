/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_SETTINGS_H
#define CSBX_CMD_IMAGE_SETTINGS_H

/*
 * The settings of sources and of new images from the configuration and CSBX_* variables, for
 * verbs whose own command line has no such options.
 */

#include "cmd/image/image_opts.h"

struct cmd;
struct err;

struct image_settings {
	struct source_opts source;
	struct output_opts output;
};

int image_settings_read(struct cmd *c, struct image_settings *ret, struct err *e);
void image_settings_done(struct image_settings *s);
#define _image_settings_ __attribute__((cleanup(image_settings_done)))

#endif
