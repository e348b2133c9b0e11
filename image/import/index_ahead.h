/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_INDEX_AHEAD_H
#define CSBX_IMAGE_INDEX_AHEAD_H

/*
 * Pass 1 of an import while the layers are still on their way: threads read each blob behind its
 * download and leave its index in the store, where the import finds it as that of a layer it has
 * seen before. Whatever goes wrong here goes wrong again in the import, which says it: nothing here
 * fails.
 */

#include <stdbool.h>
#include <stdint.h>

struct index_ahead;
struct store;
struct transfer;
struct transfer_item;

struct index_ahead_options {
	struct store *store;
	bool keep_capabilities;
	uint64_t max_bytes; /* of an image, 0: no limit */
	unsigned threads;   /* 0: none, and nothing is done */
};

/* t is about to be fetched, and its items stay where they are until index_ahead_stop(). */
void index_ahead_start(struct index_ahead **ret, const struct index_ahead_options *o,
		       struct transfer *t);
/* More bytes of an item are in its file, or its download began anew. From any thread. */
void index_ahead_arrived(struct index_ahead *a);
/* Waits for what was begun; is_failed: gives it up, no more bytes will come. */
void index_ahead_stop(struct index_ahead **a, bool is_failed);

#endif
