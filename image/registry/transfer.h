/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TRANSFER_H
#define CSBX_IMAGE_TRANSFER_H

/*
 * Blobs of a registry into files: several at once, largest first, hashed while they arrive. The
 * bytes that a file has already are hashed and kept, and only the rest is asked for; when the whole
 * then has the wrong digest, it is fetched once more from its beginning.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/model/source.h"

struct err;
struct registry;

struct transfer_item {
	struct digest digest;
	uint64_t size_bytes;
	bool foreign;
	bool is_layer;
	int fd;    /* read and write; its content up to size_bytes is a beginning */
	void *arg; /* the caller's */
	_Atomic uint64_t done_bytes; /* there and hashed: for the one who shows it */
	_Atomic bool complete;
};

struct transfer {
	struct registry *registry;
	struct transfer_item *items;
	size_t n;
	unsigned connections; /* 0: REGISTRY_CONNECTIONS */
	/* An item's bytes are all there and right. In the thread that fetched it. NULL: nothing. */
	int (*complete)(void *arg, struct transfer_item *item, struct err *e);
	/* An item's done_bytes has changed. In the thread that fetches it. NULL: nothing. */
	void (*arrived)(void *arg);
	/* From the calling thread, some times a second and at the end. NULL: nothing. */
	void (*progress)(void *arg, const struct transfer *t);
	void *arg; /* of all three */
};

/* The items' numbers in the order they are fetched; caller frees, NULL: no memory. */
size_t *transfer_order(const struct transfer *t);

/* The first error ends all; items that are complete then stay complete. */
int transfer_fetch(struct transfer *t, struct err *e);

#endif
