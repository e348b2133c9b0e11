/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_DONE_H
#define CSBX_CMD_EVAL_BATCH_DONE_H

/* The ids that an output has records of. */

#include <stdbool.h>

#include "runtime/base/str.h"

struct err;

struct batch_done {
	struct strv labels; /* sorted once read */
};

/*
 * Opens the output to add to it; a last line that was cut off is removed. Returns the descriptor.
 */
int batch_done_open(const char *path, struct batch_done *ret, struct err *e);
bool batch_done_has(const struct batch_done *d, const char *label);
void batch_done_free(struct batch_done *d);

#endif
