/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip by libisal where it was there at build time (2.2 times zlib's speed), else by zlib. Both
 * engines know one member at a time; this file decides which bytes may follow one: a further member
 * (eStargz and bgzip files have thousands), or zero padding up to the end. Anything else is an
 * error, because bytes that no program decodes would let two readers see two different layers.
 *
 * Compressing (gzip_file.h) is always zlib's.
 */
#include "image/bytes/decoder.h"

#include <stdlib.h>
#include <string.h>

#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_LIBISAL
#include <isa-l/igzip_lib.h>
#endif

#include "image/bytes/packed_file.h"
#include "image/bytes/spool.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#ifdef HAVE_LIBISAL
struct engine {
	struct inflate_state state;
};

static int engine_start(struct engine *g)
{
	isal_inflate_init(&g->state);
	g->state.crc_flag = ISAL_GZIP;
	return 0;
}

static void engine_stop(struct engine *g)
{
	(void)g;
}

static int engine_again(struct engine *g)
{
	isal_inflate_reset(&g->state);
	g->state.crc_flag = ISAL_GZIP;
	return 0;
}

/* 1 at the end of the member, 0 when input or output ran out, -1 for bad data. */
static int engine_run(struct engine *g, struct decoder_io *io)
{
	struct inflate_state *s = &g->state;
	int r;

	s->next_in = (uint8_t *)(uintptr_t)io->in;
	s->avail_in = (uint32_t)io->in_len;
	s->next_out = io->out + io->out_len;
	s->avail_out = (uint32_t)(io->out_cap - io->out_len);
	r = isal_inflate(s);
	io->in = s->next_in;
	io->in_len = s->avail_in;
	io->out_len = io->out_cap - s->avail_out;
	if (r != ISAL_DECOMP_OK && r != ISAL_END_INPUT && r != ISAL_OUT_OVERFLOW)
		return -1;
	return s->block_state == ISAL_BLOCK_FINISH;
}
#else
struct engine {
	z_stream z;
};

static int engine_start(struct engine *g)
{
	return inflateInit2(&g->z, 16 + MAX_WBITS) == Z_OK ? 0 : -1;
}

static void engine_stop(struct engine *g)
{
	inflateEnd(&g->z);
}

static int engine_again(struct engine *g)
{
	return inflateReset(&g->z) == Z_OK ? 0 : -1;
}

static int engine_run(struct engine *g, struct decoder_io *io)
{
	z_stream *z = &g->z;
	int r;

	z->next_in = (Bytef *)(uintptr_t)io->in;
	z->avail_in = (uInt)io->in_len;
	z->next_out = io->out + io->out_len;
	z->avail_out = (uInt)(io->out_cap - io->out_len);
	r = inflate(z, Z_NO_FLUSH);
	io->in = z->next_in;
	io->in_len = z->avail_in;
	io->out_len = io->out_cap - z->avail_out;
	if (r == Z_STREAM_END)
		return 1;
	return r == Z_OK || r == Z_BUF_ERROR ? 0 : -1;
}
#endif

enum phase { IN_MEMBER, BETWEEN, PADDING };

struct gzip_decoder {
	struct decoder base;
	struct engine engine;
	enum phase phase;
};

static bool skip_zeros(struct decoder_io *io)
{
	while (io->in_len && !*io->in) {
		io->in++;
		io->in_len--;
	}
	return !io->in_len;
}

static int run_member(struct gzip_decoder *g, struct decoder_io *io, struct err *e)
{
	int r = engine_run(&g->engine, io);

	if (r < 0)
		return err_set(e, EBADMSG, "gzip data is damaged");
	g->base.at_boundary = r == 1;
	if (r == 1)
		g->phase = BETWEEN;
	return 0;
}

static int gzip_run(struct decoder *d, struct decoder_io *io, struct err *e)
{
	struct gzip_decoder *g = (struct gzip_decoder *)d;
	size_t before_in, before_out;
	int r;

	do {
		before_in = io->in_len;
		before_out = io->out_len;
		if (g->phase == BETWEEN && io->in_len) {
			g->phase = *io->in ? IN_MEMBER : PADDING;
			if (g->phase == IN_MEMBER && engine_again(&g->engine) < 0)
				return err_oom(e);
		}
		if (g->phase == PADDING && !skip_zeros(io))
			return err_set(e, EBADMSG, "garbage after the gzip data");
		if (g->phase == IN_MEMBER) {
			r = run_member(g, io, e);
			if (r < 0)
				return r;
		}
	} while (io->out_len < io->out_cap &&
		 (io->in_len != before_in || io->out_len != before_out));
	return 0;
}

static void gzip_free(struct decoder *d)
{
	engine_stop(&((struct gzip_decoder *)d)->engine);
	free(d);
}

int decoder_gzip_new(struct decoder **ret, struct err *e)
{
	struct gzip_decoder *g = calloc(1, sizeof(*g));

	if (!g || engine_start(&g->engine) < 0) {
		free(g);
		return err_oom(e);
	}
	g->base = (struct decoder){.run = gzip_run, .free = gzip_free};
	*ret = &g->base;
	return 0;
}

/* --- compressing --------------------------------------------------------------------------------- */

#define CHUNK (256u << 10)
#define LEVEL 6
#define GZIP_WINDOW (15 + 16) /* of deflateInit2(): the largest, with gzip's header */

struct packing {
	z_stream z;
	struct spool out;
	struct digest_ctx hash;
	unsigned char in[CHUNK], packed[CHUNK];
};

/* All that the input gives; flush: that was the last of it. */
static int pack(struct packing *p, int flush, struct err *e)
{
	int r = 0;

	do {
		size_t n;

		p->z.next_out = p->packed;
		p->z.avail_out = CHUNK;
		if (deflate(&p->z, flush) == Z_STREAM_ERROR)
			return err_set(e, EIO, "zlib fails");
		n = CHUNK - p->z.avail_out;
		digest_update(&p->hash, p->packed, n);
		r = spool_write(&p->out, p->packed, n, e);
	} while (r >= 0 && !p->z.avail_out);
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
		p->z.next_in = p->in;
		p->z.avail_in = (unsigned)n;
		r = pack(p, n ? Z_NO_FLUSH : Z_FINISH, e);
		if (r < 0)
			return r;
	} while (n);
	return 0;
}

int packed_file_gzip(int in_fd, int tmp_dirfd, struct packed_file *ret, struct err *e)
{
	struct packing *p = calloc(1, sizeof(*p));
	int r;

	*ret = (struct packed_file){.fd = -1};
	if (!p)
		return err_oom(e);
	p->out = (struct spool)SPOOL_INIT;
	p->hash = (struct digest_ctx)DIGEST_CTX_INIT;
	if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(p);
		return err_oom(e);
	}
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
	deflateEnd(&p->z);
	digest_free(&p->hash);
	spool_close(&p->out);
	free(p);
	return r;
}
