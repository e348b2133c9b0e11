/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_SEEN_H
#define CSBX_CMD_EVAL_BATCH_SEEN_H

/*
 * Ids of the lines that were read. Lines may share one, as samples of one task do: such a line is
 * told from the others by its occurrence, 1 for the first of them in the batch.
 *
 * They are the one thing that a batch keeps of each line until its end, so they lie one after the
 * other in one buffer; a table finds them.
 */

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct batch_seen_slot;

struct batch_seen {
	struct strbuf labels;          /* each ends with a NUL */
	struct batch_seen_slot *slots; /* of a power of two, at most three quarters are taken */
	size_t n, n_slots;
	uint64_t key; /* of this batch's hashes: a file of lines cannot aim at one slot */
};

/* Adds one more; returns the occurrence, 0: out of memory. */
unsigned batch_seen_add(struct batch_seen *s, const char *label);
void batch_seen_free(struct batch_seen *s);

#endif
