/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_SEEN_H
#define CSBX_CMD_EVAL_BATCH_SEEN_H

/*
 * Ids of the lines that were read. Lines may share one, as samples of one task do: such a line is
 * told from the others by its occurrence, 1 for the first of them in the batch.
 */

struct batch_seen {
	void *tree;
};

/* Adds one more; returns the occurrence, 0: out of memory. */
unsigned batch_seen_add(struct batch_seen *s, const char *label);
void batch_seen_free(struct batch_seen *s);

#endif
