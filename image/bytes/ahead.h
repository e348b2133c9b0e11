/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_AHEAD_H
#define CSBX_IMAGE_AHEAD_H

/*
 * Runs a producer of bytes in a thread of its own, a few buffers ahead of its consumer: reading
 * and inflating a layer then costs no time of the thread that parses and writes.
 */

#include <stddef.h>
#include <sys/types.h>

struct err;

/* Fills buf; the count, 0 at the end, -errno. Not called again after either of the last two. */
typedef ssize_t ahead_produce_fn(void *arg, void *buf, size_t cap, struct err *e);

struct ahead;

int ahead_start(struct ahead **ret, ahead_produce_fn *produce, void *arg, size_t buffer_bytes,
		struct err *e);

/* The next piece, valid until the next call, in the producer's order; its end and error, too. */
ssize_t ahead_next(struct ahead *a, const void **ret_data, struct err *e);

/* Waits until the producer is not running any more; pieces not taken are lost. */
void ahead_stop(struct ahead **a);

#endif
