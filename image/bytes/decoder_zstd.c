/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bytes/decoder.h"

#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "image/bytes/packed_file.h"
#include "image/bytes/spool.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

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

/* --- compressing --------------------------------------------------------------------------------- */

#define CHUNK (256u << 10)
#define LEVEL 3

struct packing {
	ZSTD_CCtx *ctx;
	struct spool out;
	struct digest_ctx hash;
	unsigned char in[CHUNK], packed[CHUNK];
};

/* All of n bytes; none: the frame ends. */
static int pack(struct packing *p, size_t n, struct err *e)
{
	ZSTD_inBuffer in = {p->in, n, 0};
	size_t left;
	int r = 0;

	do {
		ZSTD_outBuffer out = {p->packed, CHUNK, 0};

		left = ZSTD_compressStream2(p->ctx, &out, &in, n ? ZSTD_e_continue : ZSTD_e_end);
		if (ZSTD_isError(left))
			return err_set(e, EIO, "zstd: %s", ZSTD_getErrorName(left));
		digest_update(&p->hash, p->packed, out.pos);
		r = spool_write(&p->out, p->packed, out.pos, e);
	} while (r >= 0 && (n ? in.pos < in.size : left));
	return r;
}

static int pack_all(struct packing *p, int in_fd, struct err *e)
{
	off_t at = 0;
	ssize_t n;

	do {
		int r;

		n = pread(in_fd, p->in, CHUNK, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read the layer");
		at += n;
		r = pack(p, (size_t)n, e);
		if (r < 0)
			return r;
	} while (n);
	return 0;
}

int packed_file_zstd(int in_fd, int tmp_dirfd, struct packed_file *ret, struct err *e)
{
	struct packing *p = calloc(1, sizeof(*p));
	int r = -ENOMEM;

	*ret = (struct packed_file){.fd = -1};
	if (!p)
		return err_oom(e);
	p->out = (struct spool)SPOOL_INIT;
	p->hash = (struct digest_ctx)DIGEST_CTX_INIT;
	p->ctx = ZSTD_createCCtx();
	if (!p->ctx || ZSTD_isError(ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_compressionLevel, LEVEL)))
		err_oom(e);
	else
		r = spool_open(&p->out, tmp_dirfd, e);
	if (r >= 0)
		r = digest_init(&p->hash, "", e);
	if (r >= 0)
		r = pack_all(p, in_fd, e);
	if (r >= 0)
		r = digest_final(&p->hash, &ret->digest, e);
	if (r >= 0) {
		ret->bytes = p->out.bytes;
		ret->fd = take_fd(&p->out.fd);
	}
	ZSTD_freeCCtx(p->ctx);
	digest_free(&p->hash);
	spool_close(&p->out);
	free(p);
	return r;
}
