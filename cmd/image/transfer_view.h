/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_TRANSFER_VIEW_H
#define CSBX_CMD_IMAGE_TRANSFER_VIEW_H

/*
 * The progress that a download shows on stderr while it runs: on a terminal a line for each blob on
 * its way and one for all of them, redrawn in place; else a line for each blob that has come.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct transfer;

struct transfer_view {
	bool quiet, terminal;
	_Atomic unsigned drawn_lines; /* of the last drawing, above the cursor */
	uint64_t start_ns, drawn_ns;
	uint64_t had_bytes; /* there when it began: not part of the speed */
	bool *told;         /* by item: its line has been printed */
	size_t n_told;
	bool told_waiting;
	uint64_t spooled_bytes;
	/* Is shown the same, though this is quiet; NULL: no caller. */
	void (*also)(void *arg, const struct transfer *t);
	void *also_arg;
};

void transfer_view_init(struct transfer_view *v, bool quiet);

/* A source_options.transfer_progress callback; arg is the struct transfer_view. */
void transfer_view_show(void *arg, const struct transfer *t);

/* Another process fetches what we need. */
struct digest;
void transfer_view_wait(struct transfer_view *v, const struct digest *d, uint64_t have_bytes,
			uint64_t size_bytes);

/* A registry says nothing: a registry_options.silence callback; arg is the struct transfer_view. */
void transfer_view_silence(void *arg, const char *host, uint64_t silent_ms, uint64_t patience_ms);

/* An engine's archive is copied, so many bytes so far: a spool_watch.written callback. */
void transfer_view_spooled(void *arg, uint64_t bytes);

/* Removes what is redrawn; in a log, says how much an engine gave. */
void transfer_view_done(struct transfer_view *v);

#endif
