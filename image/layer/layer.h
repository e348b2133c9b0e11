/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LAYER_H
#define CSBX_IMAGE_LAYER_H

/*
 * The room image/layer. One layer as a sequence of entries.
 *
 * In: a tar or a directory. Out: entries, checked; an index of them.
 *
 *	layer.h			the sequence
 *	tar.h, dir.h		where it comes from
 *	index.h			entries without data
 *
 * Must: cap names, attributes and sizes.
 * Mustn't: write to the file system, follow a link.
 */

/*
 * One layer as a sequence of entries, in the order of its tar, or, for a directory on the host,
 * sorted by name with a directory before its content. The fields of an entry are safe to work with:
 *
 * - the path has no "..", ".", empty or over-long component and no slash at either end; "" is
 *   the root, which is always a directory;
 * - ids fit 32 bits, times are clamped to what squashfs keeps (seconds 0 .. 2^32-1), a symlink's
 *   target is 1 to 4095 bytes, sizes stay below the limit of the whole image;
 * - extended attributes are those a container may see: user.*, never user.overlay.* (overlayfs
 *   with `userxattr` would obey them), security.capability only on request.
 *
 * Whiteouts are plain names here; image/squash/tree.h gives them their meaning.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/model/digest.h"
#include "image/model/layer_path.h"
#include "image/model/source.h"
#include "image/bytes/stream.h"

struct err;
struct strbuf;

#define LAYER_LINK_MAX 4095u /* bytes of a symlink's target: the kernel's PATH_MAX less NUL */
#define LAYER_XATTR_VALUE_MAX 65535u

enum entry_type {
	ENTRY_FILE,
	ENTRY_DIRECTORY,
	ENTRY_SYMLINK,
	ENTRY_HARDLINK,
	ENTRY_FIFO,
	ENTRY_SOCKET,
	ENTRY_DEVICE,   /* of either kind; known to the merge, never written */
	ENTRY_WHITEOUT, /* of an upper directory: hides what lies below the image that is made */
};

struct layer_xattr {
	const char *name; /* with its prefix */
	const void *value;
	size_t len;
};

/* Pointers are valid until the next call of layer_reader_next(). */
struct layer_entry {
	enum entry_type type;
	const char *path; /* clean; "" is the root */
	const char *link; /* symlink: its target as it is; hard link: a clean path; else NULL */
	uint16_t mode;    /* permission bits, 07777 */
	uint32_t uid, gid, mtime_s;
	uint64_t size_bytes; /* of a regular file's content, holes included */
	const struct layer_xattr *xattrs;
	size_t n_xattrs;
};

struct layer_options {
	uint64_t max_bytes;     /* limit of the image, decompressed */
	bool keep_capabilities; /* pass security.capability on */
	bool hash_plain;        /* compute the digest of the tar (diff_id) */
	bool is_upper; /* of a directory: an overlay's upper one, of which an image that lies over
			* another is made; whiteouts and the mark of opaque directories stay */
	bool cross_mounts; /* of a directory: go into what is mounted in it, but not into the
			    * kernel's own views (proc, sysfs, devpts, mqueue, cgroup) */
	struct stream_watch watch;
	struct stream_arrival arrival; /* of a tar that is on its way */
};

struct layer_result {
	struct digest stored, diff_id; /* not set where it makes no sense or was not asked for */
	uint64_t stored_bytes, plain_bytes;
};

struct layer_reader;

int layer_reader_open(struct layer_reader **ret, const struct source_layer *src,
		      const struct layer_options *o, struct err *e);

/* 1 and an entry, 0 after the last one, -errno. */
int layer_reader_next(struct layer_reader *l, struct layer_entry *ret, struct err *e);

/*
 * Content of the current regular file, piece by piece with offsets that only grow; the bytes
 * between pieces, and from the last one to size_bytes, are zeros. 1, 0 at the end, -errno.
 */
int layer_reader_read(struct layer_reader *l, const void **ret_data, size_t *ret_len,
		      uint64_t *ret_offset, struct err *e);

/* Reads on to the end, padding included, and gives digests and sizes. */
int layer_reader_finish(struct layer_reader *l, struct layer_result *ret, struct err *e);

void layer_reader_close(struct layer_reader **l);
#define _layer_reader_ __attribute__((cleanup(layer_reader_close)))

#endif
