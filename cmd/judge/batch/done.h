/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_DONE_H
#define CSBX_CMD_EVAL_BATCH_DONE_H

/* The lines that an output has records of. */

#include <stdbool.h>

#include "runtime/base/str.h"

struct container_spec;
struct err;

struct batch_done {
	struct strv labels; /* with their occurrence behind a blank; sorted once read */
	bool is_kept;       /* the output is a regular file, which can be read again */
};

/*
 * Opens the output to add to it; a last line that was cut off is removed. Returns the descriptor.
 * -EINVAL where it is the input, under whatever name. spec: as of report_open().
 */
int batch_done_open(const char *path, const struct container_spec *spec, int in_fd,
		    struct batch_done *ret, struct err *e);
/* True where both are one regular file, which a batch would read and write at once. */
bool batch_is_same_file(int in_fd, int out_fd);
bool batch_done_has(const struct batch_done *d, const char *label, unsigned occurrence);
void batch_done_free(struct batch_done *d);

#endif
