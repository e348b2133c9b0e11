/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_PROGRESS_H
#define CSBX_CMD_IMAGE_PROGRESS_H

/*
 * The progress that an import shows while it runs: if stderr is a terminal, one line on it that is
 * redrawn; else nothing, so that a failure leaves one line in a log, its own.
 */

#include <stdbool.h>
#include <stdint.h>

#include "image/import/import.h"

struct progress {
	bool quiet, terminal;
	int phase; /* -1: none yet */
	uint64_t phase_ns, drawn_ns;
};

void progress_init(struct progress *p, bool quiet);

/* An import_options.progress callback; arg is the struct progress. */
void progress_show(void *arg, const struct import_progress *now);

/* Removes the redrawn line. */
void progress_done(struct progress *p);

/* "174.6 MB": decimal units, as file managers and disks have them. */
struct strbuf;
void progress_add_size(struct strbuf *out, uint64_t bytes);

uint64_t progress_clock_ns(void);

#endif
