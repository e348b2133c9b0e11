/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_DECODER_H
#define CSBX_IMAGE_DECODER_H

/*
 * One decompressor, fed piece by piece. The stream module owns the buffers; a decoder only moves
 * bytes from `in` to `out` and says whether it stands between two members (gzip, RFC 1952 2.2)
 * or frames (zstd, RFC 8878 3), the only places where the input may end.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct decoder_io {
	const uint8_t *in; /* moved on by what was consumed */
	size_t in_len;
	uint8_t *out;
	size_t out_cap, out_len;
};

struct decoder {
	/* Goes on until the input is used up or the output is full. 0 or -errno. */
	int (*run)(struct decoder *d, struct decoder_io *io, struct err *e);
	void (*free)(struct decoder *d);
	bool at_boundary;
};

int decoder_gzip_new(struct decoder **ret, struct err *e);
int decoder_zstd_new(struct decoder **ret, struct err *e);

#endif
