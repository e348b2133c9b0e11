/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQAHEAD_H
#define CSBX_SQUASHD_SQAHEAD_H

/*
 * Decompressing ahead: a thread beside the one that serves makes blocks that are likely to be asked
 * for next. Its blocks are taken, or forgotten for blocks that are wanted later. It never fails: if
 * it cannot make a block, the thread that asks for the block does, and sees the reason.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct sqahead;

/* Makes one block of the image, in a thread of its own; out has room for max bytes. */
struct sqahead_source {
	int (*make)(void *arg, void *packed, uint64_t pos, uint32_t bytes, unsigned char *out,
		    size_t *out_bytes);
	void *arg;
	size_t max;
};

/* Starts the thread, which calls confine before anything else; NULL where it cannot be had. */
struct sqahead *sqahead_new(int (*confine)(struct err *e));
/*
 * Waits until it is confined, before which no byte of an image must be looked at; false: it cannot.
 */
bool sqahead_is_confined(struct sqahead *a);
void sqahead_free(struct sqahead *a);
/* The thread's number. A caller may use it for sched_setaffinity(2), where that is allowed. */
pid_t sqahead_tid(struct sqahead *a);

/* Once. Until then nothing is made. -ENOMEM: nothing will be. */
int sqahead_set_source(struct sqahead *a, const struct sqahead_source *source);

/* The block at pos, of that many bytes in the image: the latest wish first. Does not wait. */
void sqahead_want(struct sqahead *a, uint64_t pos, uint32_t bytes);

/*
 * True if it has the block, or just works on it: *data becomes a buffer of max bytes that holds it,
 * and what *data was, such a buffer or NULL, is used for the next one.
 */
bool sqahead_take(struct sqahead *a, uint64_t pos, unsigned char **data, size_t *size);

#endif
