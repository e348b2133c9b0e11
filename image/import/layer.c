/* SPDX-License-Identifier: Apache-2.0 */
#include "image/import/import.h"

#include <stdatomic.h>

#include "image/model/digest.h"
#include "image/import/priv.h"
#include "image/model/source.h"
#include "runtime/base/err.h"

struct layer_options import_layer_options(struct import *im, bool hash_plain)
{
	return (struct layer_options){
		.max_bytes = im->options.max_image_bytes,
		.keep_capabilities = im->options.keep_capabilities,
		.hash_plain = hash_plain,
		.is_upper = im->options.n_lowers > 0,
		.watch = {.read_bytes = &im->read_bytes, .cancel = im->options.cancel},
	};
}

void import_report(struct import *im, enum import_phase phase)
{
	struct import_progress p = {
		.phase = phase,
		.done_bytes = atomic_load_explicit(&im->read_bytes, memory_order_relaxed),
		.total_bytes = im->total_bytes,
	};

	if (im->options.progress)
		im->options.progress(im->options.progress_arg, &p);
}

int import_wrap_layer(const struct import *im, size_t layer, struct err *e)
{
	const struct source_layer *l = &im->src->layers[layer];
	char digest[DIGEST_TEXT_MAX];

	if (l->kind == LAYER_DIRECTORY || (im->src->n_layers == 1 && !digest_is_set(&l->digest)))
		return e ? -e->code : -EIO;
	if (!digest_is_set(&l->digest))
		return err_wrap(e, "layer %zu of %zu", layer + 1, im->src->n_layers);
	return err_wrap(e, "layer %zu of %zu (%.19s)", layer + 1, im->src->n_layers,
			digest_format(&l->digest, digest));
}
