/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_IMAGE_URI_H
#define CSBX_CMD_ENROOT_IMAGE_URI_H

/*
 * The room cmd/enroot/verb. enroot's other verbs, a file each.
 *
 * In: parsed arguments. Out: images, containers, lists, bundles.
 *
 *	import.c list.c ...	a verb in a file of its name
 *	uri.h			what import, load and digest share
 *	process_row.h		a process in `list -f`
 *	bundle_files.h, bundle_write.h: bundles
 *
 * Must: parse, call, print.
 * Mustn't: hold a rule that another dialect needs too.
 */

/* The parts that import, load and digest have in common: the URI, and enroot's settings of
 * registries. */

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
