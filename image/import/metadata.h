/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_METADATA_H
#define CSBX_IMAGE_METADATA_H

/*
 * The files that csbx adds to an image, as one more layer on top of its own, so that the merge's
 * rules hold for it too (an /etc that is a symlink, say):
 *
 *	/.csbx/config.json    the image's config, byte for byte
 *	/.csbx/diff_ids.json  ["sha256:...", ...] of the layers' tars, as computed
 *	/etc/rc, /etc/environment, /etc/fstab, /etc/rc.local
 *			      by which enroot starts the image (image/import/enroot_meta.h)
 *	/.csbx/orig/etc/...   the image's own files of those four names, which containers see
 *			      in place of enroot's (runtime/helpers/squashd/image/originals.h)
 *
 * A /.csbx the image brought along is dropped first. An image without a config (a rootfs tar or
 * directory) keeps all it has, its /.csbx included: it may be the unpacked form of another image.
 * It gets those of enroot's files that it lacks. All times are 0 and all owners root.
 *
 * Layers that are themselves an image of csbx (source.h, is_our_image) keep what is right of it:
 * of enroot's four files those generated for it are generated anew, and their originals stay in
 * /.csbx/orig; any other is the image's own by now and takes the place of an original there.
 */

#include <stdbool.h>

#include "image/import/enroot_meta.h"
#include "image/layer/index.h"

struct err;
struct image_source;
struct tree;

struct metadata {
	struct layer_index index;
	struct strbuf diff_ids;
	struct enroot_meta enroot;
	/* content of the regular files, by ordinal in the index; NULL for other entries */
	const struct strbuf *data[16];
};

/* t: the image's own layers merged; layers[i].result: as the first pass computed it. */
int metadata_build(struct metadata *m, const struct image_source *src,
		   const struct layer_index *layers, struct tree *t, bool with_enroot,
		   struct err *e);
void metadata_free(struct metadata *m);
#define _metadata_ __attribute__((cleanup(metadata_free)))

#endif
