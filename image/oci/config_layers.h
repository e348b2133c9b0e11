/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_CONFIG_LAYERS_H
#define CSBX_IMAGE_CONFIG_LAYERS_H

/*
 * An image's configuration with other layers than it had (image-spec config.md): its diff_ids are
 * replaced, and its history says of each step whether it has a layer now. Everything else stays
 * what it was, numbers to the letter. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct strbuf;
struct strv;

/*
 * The steps of the history that have a layer are numbered from 0. The first n_joined share one
 * layer, and the last of them has it; those from there to n_kept have one each; all behind them
 * share one, or have none.
 */
struct config_layers {
	const struct strv *diff_ids;
	size_t n_joined, n_kept;
	bool has_rest;
	/* Instead of has_rest: which of the last n_last steps have a layer; NULL: not said. */
	const bool *last;
	size_t n_last;
};

/* -EBADMSG: no JSON object. */
int config_with_layers(const void *config, size_t len, const struct config_layers *l,
		       struct strbuf *out, struct err *e);

/* As one layer. */
int squashed_config(const void *config, size_t len, const char *diff_id, struct strbuf *out,
		    struct err *e);

#endif
