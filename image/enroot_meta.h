/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_ENROOT_META_H
#define CSBX_IMAGE_ENROOT_META_H

/*
 * The four files by which enroot starts an image it did not make (its doc/image-format.md):
 *
 *	/etc/rc           shell script, run as `sh /etc/rc ARGS...`: what the image does when started
 *	/etc/environment  NAME=value lines of the image's Env
 *	/etc/fstab        one mount of its own directory for every volume
 *	/etc/rc.local     empty; sourced by /etc/rc, the place for a user's own hook
 *
 * They are derived from the config alone and so are equal for equal images, but for the reference
 * in the first line of rc. Everything in the config is hostile text: it reaches the script in
 * POSIX single quotes or as a comment that holds no line break.
 */

#include "runtime/base/str.h"

struct image_source;
struct err;

struct enroot_meta {
	struct strbuf rc, environment, fstab, rc_local; /* the files, byte for byte */
};

/* A source without a config gives a script that runs its arguments, or /bin/sh. */
int enroot_meta_build(const struct image_source *src, struct enroot_meta *ret, struct err *e);
void enroot_meta_free(struct enroot_meta *m);

#endif
