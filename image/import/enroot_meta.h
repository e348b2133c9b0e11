/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_ENROOT_META_H
#define CSBX_IMAGE_ENROOT_META_H

/*
 * The four files by which enroot starts an image it did not make (its doc/image-format.md):
 *
 *	/etc/rc           shell script, run as `sh /etc/rc ARGS...`: what the image does when
 * started /etc/environment  NAME=value lines of the image's Env /etc/fstab        one mount of its
 * own directory for every volume /etc/rc.local     empty; sourced by /etc/rc, the place for a
 * user's own hook
 *
 * They are derived from the config alone, so that one image gives the same bytes whatever form it
 * came in. Everything in the config is hostile text. In the script it stands in POSIX single
 * quotes or in a comment without line breaks. A variable that a line cannot hold is left out of
 * environment, and so is a volume of fstab whose path could mean another place: enroot expands
 * ${VAR} there and mounts what the path leads to on the host.
 */

#include "runtime/base/str.h"

struct image_source;
struct err;

struct enroot_meta {
	struct strbuf rc, environment, fstab, rc_local; /* the files, byte for byte */
};

#define ENROOT_FILES 4

struct enroot_file {
	const char *path; /* without the leading slash */
	uint16_t mode;
	const struct strbuf *content;
};

/* A source without a config gives a script that runs its arguments, or /bin/sh. */
int enroot_meta_build(const struct image_source *src, struct enroot_meta *ret, struct err *e);
/* The files of m in the order above; they point into m. */
void enroot_meta_list(const struct enroot_meta *m, struct enroot_file ret[ENROOT_FILES]);
void enroot_meta_free(struct enroot_meta *m);

#endif
