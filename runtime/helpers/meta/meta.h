/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_META_H
#define CSBX_SQUASHD_META_H

/*
 * The room runtime/helpers/meta. csbx-meta, which reads what a start needs to know of an image.
 *
 * In: a descriptor of an image or directory. Out: one record on standard output, or one line why
 * not.
 *
 *	main.c			confined like the image server, then meta.c
 *	meta.c			files of the image
 *	config.c		its configuration
 *
 * Must: give up all rights before it reads.
 * Mustn't: follow a link out of the image.
 */

/*
 * csbx-meta FD: writes the facts that a start needs of an image or directory, as one flat record
 * (runtime/server/image_meta.h), to stdout. Exit status 125 with one line on stdout instead when it
 * cannot be told.
 */

#include <stddef.h>

struct err;
struct flat_writer;

int meta_main(int fd);

/*
 * Adds what an OCI image config (image-spec config.md) says to the record. The text is hostile:
 * -EBADMSG unless it is one JSON object that json_parse() takes, with the members that are read of
 * the right types and in the right case. Pure.
 */
int meta_add_config(struct flat_writer *w, const char *text, size_t len, struct err *e);

#endif
