/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_META_CACHE_H
#define CSBX_RUNTIME_META_CACHE_H

/*
 * $CSBX_CACHE_PATH/meta/<dev>-<ino>-<size>-<mtime_ns>: image_meta records of images, so that
 * the confined reader runs once an image. A directory's files can change without a trace in its
 * own inode: there the name's last parts are a hash of the inode, size and change time of the
 * files the record was read from.
 *
 * A cache that cannot be read or written is a slower start, never a failed one.
 */

#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

struct err;
struct paths;

/* Reads an image's meta record, on a miss: squashd_read_meta() in the product. */
struct meta_source {
	int (*read)(void *arg, int image_fd, enum rootfs_kind kind, struct strbuf *ret_record,
		    struct err *e);
	void *arg;
};

#define META_CACHE_RECORD_MAX (16u << 20)

/* Fills the empty buffer ret_record; the bytes decode (image_meta_decode was tried). */
int meta_cache_get(const struct paths *p, int image_fd, enum rootfs_kind kind,
		   const struct image_id *id, const struct meta_source *src,
		   struct strbuf *ret_record, struct err *e);

#endif
