/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip by libisal where it was there at build time (2.2 times zlib's speed), else by zlib. Both
 * engines know one member at a time; what may follow a member is decided here: a further member
 * (eStargz and bgzip files have thousands), or zero padding up to the end. Anything else is an
 * error, because bytes nobody decodes would let two readers see two different layers.
 */
#include "image/bytes/decoder.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#include "runtime/base/err.h"

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
				return err_set(e, ENOMEM, "out of memory");
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
		return err_set(e, ENOMEM, "out of memory");
	}
	g->base = (struct decoder){.run = gzip_run, .free = gzip_free};
	*ret = &g->base;
	return 0;
}
