/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bytes/decoder.h"

#include <stdlib.h>
#include <zstd.h>

#include "runtime/base/err.h"

/* A frame may ask for a window of up to 2 GiB; no layer writer goes above 128 MiB (--long). */
#define WINDOW_LOG_MAX 27

struct zstd_decoder {
	struct decoder base;
	ZSTD_DCtx *ctx;
};

static int zstd_run(struct decoder *d, struct decoder_io *io, struct err *e)
{
	struct zstd_decoder *z = (struct zstd_decoder *)d;
	ZSTD_inBuffer in = {io->in, io->in_len, 0};
	ZSTD_outBuffer out = {io->out, io->out_cap, io->out_len};
	size_t before_in, before_out;

	do {
		size_t r;

		before_in = in.pos;
		before_out = out.pos;
		r = ZSTD_decompressStream(z->ctx, &out, &in);
		if (ZSTD_isError(r))
			return err_set(e, EBADMSG, "zstd data: %s", ZSTD_getErrorName(r));
		if (in.pos > before_in || out.pos > before_out)
			d->at_boundary = r == 0;
	} while (out.pos < out.size && (in.pos > before_in || out.pos > before_out));
	io->in += in.pos;
	io->in_len -= in.pos;
	io->out_len = out.pos;
	return 0;
}

static void zstd_free(struct decoder *d)
{
	ZSTD_freeDCtx(((struct zstd_decoder *)d)->ctx);
	free(d);
}

int decoder_zstd_new(struct decoder **ret, struct err *e)
{
	struct zstd_decoder *z = calloc(1, sizeof(*z));

	if (!z)
		return err_oom(e);
	z->base = (struct decoder){.run = zstd_run, .free = zstd_free, .at_boundary = true};
	z->ctx = ZSTD_createDCtx();
	if (!z->ctx ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(z->ctx, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
		zstd_free(&z->base);
		return err_oom(e);
	}
	*ret = &z->base;
	return 0;
}
