/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_UPPERS_H
#define CSBX_IMAGE_UPPERS_H

/*
 * Directories that lie one over the other, read as one: upper directories of overlays
 * (Documentation/filesystems/overlayfs.rst). The topmost directory's entry of a name counts;
 * directories are merged until one is opaque or something else than a directory lies below. One
 * directory alone is the plain case.
 *
 * In: descriptors, a path beneath them. Out: descriptors, and which of them have a directory.
 * Mustn't: follow a link, or leave a directory.
 */

#include <stdbool.h>
#include <stdint.h>

struct err;

#define UPPERS_MAX 64u
#define UPPERS_BASE_MAX 8u
#define UPPERS_OPAQUE "user.overlay.opaque"

struct uppers {
	int fds[UPPERS_MAX]; /* the topmost first; the caller's */
	unsigned n;
	/*
	 * The trees that lie below all of them, where they are known: a whiteout of a name that none
	 * of them has is passed over. Overlayfs lists it in a directory that no other one lies below.
	 */
	int base[UPPERS_BASE_MAX];
	unsigned n_base;
};

/* Bit i: directory i takes part. */
typedef uint64_t uppers_set;

static inline uppers_set uppers_all(const struct uppers *u)
{
	return u->n == UPPERS_MAX ? UINT64_MAX : (UINT64_C(1) << u->n) - 1;
}

/* path ("" is the directory itself) in directory i; -errno without a text. */
int uppers_open_in(const struct uppers *u, unsigned i, const char *path, int flags);

/* The same in the topmost directory of set that has it; *ret_i: which that is. */
int uppers_open(const struct uppers *u, uppers_set set, const char *path, int flags,
		unsigned *ret_i);

/* A whiteout at path may hide something of the trees below. */
bool uppers_hides(const struct uppers *u, const char *path);

/*
 * path is a directory in directory top of set: those of set that its content comes from.
 * *ret_opaque: whether it hides what lies below all of them.
 */
int uppers_merged(const struct uppers *u, uppers_set set, unsigned top, const char *path,
		  uppers_set *ret, bool *ret_opaque, struct err *e);

#endif
