/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_IMAGE_URI_H
#define CSBX_CMD_ENROOT_IMAGE_URI_H

/* What import, load and digest have in common: the URI, and enroot's settings of registries. */

struct enroot;
struct err;
struct image_settings;

/*
 * Reads csbx's settings and enroot's for this URI; arch: --arch, or NULL. -EINVAL for what is no
 * URI: a bare word is an image of a registry to csbx, and a mistake to enroot.
 */
int enroot_image_settings(struct enroot *x, const char *uri, const char *arch,
			  struct image_settings *ret, struct err *e);

#endif
