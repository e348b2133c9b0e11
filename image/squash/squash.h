/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SQUASH_H
#define CSBX_IMAGE_SQUASH_H

/*
 * The room image/squash. Writing images.
 *
 * In: layers' entries and data. Out: a squashfs file that depends on its content alone.
 *
 *	tree.h			the merged names
 *	squash.h, comp.h	the image
 *	file.h			what it is written to
 *	start_files.h		what lies in it uncompressed
 *	unsquash.h		the way back, as a tar
 *
 * Must: give the same bytes for the same content.
 * Mustn't: unpack onto a disk.
 */

/*
 * Writes a tree as a squashfs 4.0 image (libsquashfs). The data comes first, file by file in
 * whatever order the caller has it; names and inodes follow from the tree in one go. The image
 * depends on the tree, the data and its order, the compressor and its level, and on nothing else:
 * not on the number of threads, the time or the machine.
 */

#include <stddef.h>
#include <stdint.h>

struct err;
struct tree;

#define SQUASH_BLOCK_BYTES (128u << 10)

enum squash_comp { SQUASH_ZSTD, SQUASH_LZ4, SQUASH_GZIP, SQUASH_NONE };

struct squash_options {
	enum squash_comp comp;
	int level;        /* 0: the default, zstd 3, gzip 6 */
	unsigned threads; /* at least 1 */
};

/* "zstd", "zstd:19", "lz4", "gzip:9", "none": -EINVAL naming what is wrong. */
int squash_parse_comp(const char *text, enum squash_comp *ret, int *ret_level, struct err *e);

/* "zstd:3": the inverse, with a default level made explicit; returns as snprintf(3). */
int squash_format_comp(const struct squash_options *o, char *buf, size_t len);

struct squash;

/* fd: an empty file open for reading and writing, which stays the caller's. */
int squash_open(struct squash **ret, int fd, const struct tree *t, const struct squash_options *o,
		struct err *e);

/* Content of one regular file of the tree: begin, append any number of times, end. */
int squash_begin_file(struct squash *s, uint32_t inode, struct err *e);
int squash_append(struct squash *s, const void *data, size_t len, struct err *e);
int squash_append_zeros(struct squash *s, uint64_t len, struct err *e);
int squash_end_file(struct squash *s, struct err *e);

/*
 * Writes all tables and the super block; every named regular file must have got its data. The
 * file ends at a multiple of 4096 bytes then.
 */
int squash_finish(struct squash *s, uint64_t *ret_bytes_used, struct err *e);

void squash_close(struct squash **s);
#define _squash_ __attribute__((cleanup(squash_close)))

#endif
