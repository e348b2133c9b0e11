/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_IMAGE_STACK_H
#define CSBX_RUNTIME_IMAGE_STACK_H

/*
 * An image of several files: its topmost one, FILE, says in the record behind its file system
 * (base/image_trailer.h) how many lie below and how long each is; they are FILE.0 (the lowest),
 * FILE.1 ... beside it. Files that lie so beside the file of another image mean nothing.
 *
 * In: the open topmost file and its path. Out: the lower ones and their identities; the facts that
 * a start needs of all of them together. Mustn't: read a squashfs beyond its superblock.
 */

#include <stddef.h>
#include <stdint.h>

#include "runtime/spec/spec.h"

struct err;
struct meta_source;
struct paths;
struct strbuf;

/* The path of lower file i; caller frees. NULL: out of memory. */
char *image_stack_path(const char *path, size_t i);

/*
 * Sets the lower files of root, whose path and kind are set. fd: that of the topmost file,
 * O_RDONLY. -ENOENT: one is missing; -ESTALE: it is another.
 */
int image_stack_find(int fd, struct rootfs_spec *root, struct err *e);

/*
 * The lengths of the lower files from the bytes of a record, at most SPEC_STACK_MAX - 1; returns
 * how many. -EBADMSG: too many, or no record. Pure.
 */
int image_stack_decode(const void *record, size_t len, uint64_t ret[SPEC_STACK_MAX - 1],
		       struct err *e);

/*
 * The meta record (image_meta.h) of root: of the topmost file, with the users of the topmost file
 * that has any, and what the image server must know of the lowest. fd: as above.
 */
int image_stack_meta(const struct paths *p, int fd, const struct rootfs_spec *root,
		     const struct meta_source *src, struct strbuf *ret_record, struct err *e);

#endif
