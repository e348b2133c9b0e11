/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bytes/stream.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/bytes/ahead.h"
#include "image/bytes/decoder.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define BUFFER_BYTES (256u << 10)
#define RATIO_FREE_BYTES (1ull << 30)
#define RATIO_MAX 4096u
#define AHEAD_MIN_BYTES (1u << 20) /* less is done before a thread is up */

struct stream {
	struct stream_config config;
	uint64_t position; /* stored bytes read */
	uint64_t there;    /* of them known to be there, where they are on their way */
	uint64_t produced;
	struct decoder *decoder; /* NULL: plain */
	struct decoder_io io;    /* its input lies in `in` */
	struct digest_ctx stored, plain;
	uint8_t *in, *out;
	struct ahead *ahead; /* NULL: pieces are made on demand, in `out` */
};

int stream_watch_tick(const struct stream_watch *w, uint64_t bytes, struct err *e)
{
	if (w->read_bytes)
		atomic_fetch_add_explicit(w->read_bytes, bytes, memory_order_relaxed);
	return w->cancel && *w->cancel ? err_set(e, ECANCELED, "interrupted") : 0;
}

/* Waits for the next bytes and returns how many of them can be read, at most `want`. */
static ssize_t await(struct stream *s, size_t want, struct err *e)
{
	const struct stream_arrival *a = &s->config.arrival;
	int r = 0;

	if (!a->wait || !want)
		return (ssize_t)want;
	if (s->there <= s->position)
		r = a->wait(a->arg, s->position, &s->there, e);
	if (r < 0)
		return r;
	return (ssize_t)(s->there - s->position < want ? s->there - s->position : want);
}

/* Reads the next stored bytes into s->in; 0 at the end of the range. */
static ssize_t fill(struct stream *s, struct err *e)
{
	uint64_t left = s->config.length - s->position;
	ssize_t want = await(s, left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES, e), n;

	if (want <= 0)
		return want;
	do
		n = pread(s->config.fd, s->in, (size_t)want,
			  (off_t)(s->config.offset + s->position));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(e, "read");
	if (n == 0)
		return err_set(e, EBADMSG, "cut short: %llu of %llu bytes",
			       (unsigned long long)s->position,
			       (unsigned long long)s->config.length);
	if (stream_watch_tick(&s->config.watch, (uint64_t)n, e) < 0)
		return -ECANCELED;
	digest_update(&s->stored, s->in, (size_t)n);
	s->position += (uint64_t)n;
	s->io.in = s->in;
	s->io.in_len = (size_t)n;
	return n;
}

struct magic {
	uint8_t bytes[6], mask[6];
	int (*create)(struct decoder **ret, struct err *e);
	const char *refused;
};

static const struct magic magics[] = {
	{{0x1f, 0x8b}, {0xff, 0xff}, decoder_gzip_new, NULL},
	{{0x28, 0xb5, 0x2f, 0xfd}, {0xff, 0xff, 0xff, 0xff}, decoder_zstd_new, NULL},
	/* a skippable frame may come first: zstd:chunked, pzstd */
	{{0x50, 0x2a, 0x4d, 0x18}, {0xf0, 0xff, 0xff, 0xff}, decoder_zstd_new, NULL},
	{{0xfd, '7', 'z', 'X', 'Z'}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, NULL, "xz"},
	{{'B', 'Z', 'h'}, {0xff, 0xff, 0xff}, NULL, "bzip2"},
	{{0x04, 0x22, 0x4d, 0x18}, {0xff, 0xff, 0xff, 0xff}, NULL, "lz4"},
};

static bool matches(const struct magic *m, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < sizeof(m->bytes); i++) {
		if (m->mask[i] && (i >= len || (p[i] & m->mask[i]) != m->bytes[i]))
			return false;
	}
	return true;
}

static int choose_decoder(struct stream *s, struct err *e)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		const struct magic *m = &magics[i];

		if (!matches(m, s->io.in, s->io.in_len))
			continue;
		if (m->refused)
			return err_set(e, EBADMSG,
				       "compressed with %s; only gzip and zstd are known",
				       m->refused);
		return m->create(&s->decoder, e);
	}
	return 0;
}

static int check_guards(const struct stream *s, struct err *e)
{
	if (s->config.max_bytes && s->produced > s->config.max_bytes)
		return err_set(e, EFBIG, "unpacks to more than the limit of %llu bytes",
			       (unsigned long long)s->config.max_bytes);
	if (s->produced > RATIO_FREE_BYTES && s->produced / RATIO_MAX > s->position)
		return err_set(e, EFBIG, "unpacks to more than %u times its size", RATIO_MAX);
	return 0;
}

/* Fills io.out; the count, 0 at the end. */
static ssize_t decode(struct stream *s, struct err *e)
{
	for (;;) {
		ssize_t n;
		int r = s->decoder->run(s->decoder, &s->io, e);

		if (r < 0)
			return r;
		if (s->io.out_len)
			return (ssize_t)s->io.out_len;
		if (s->io.in_len)
			return err_set(e, EBADMSG, "compressed data is damaged");
		n = fill(s, e);
		if (n < 0)
			return n;
		if (n == 0 && !s->decoder->at_boundary)
			return err_set(e, EBADMSG, "compressed data ends too early");
		if (n == 0)
			return 0;
	}
}

/* All that may run ahead: reading, hashing what is stored, inflating, the guards. */
static ssize_t produce(void *arg, void *buf, size_t cap, struct err *e)
{
	struct stream *s = arg;
	ssize_t n;
	int r;

	if (s->decoder) {
		s->io.out = buf;
		s->io.out_cap = cap;
		s->io.out_len = 0;
		n = decode(s, e);
	} else {
		n = s->io.in_len ? (ssize_t)s->io.in_len : fill(s, e);
		if (n > 0)
			memcpy(buf, s->io.in, (size_t)n);
		s->io.in_len = 0;
	}
	if (n <= 0)
		return n;
	s->produced += (uint64_t)n;
	r = check_guards(s, e);
	return r < 0 ? r : n;
}

static int start_hashes(struct stream *s, struct err *e)
{
	const struct stream_config *c = &s->config;
	int r = c->stored_alg ? digest_init(&s->stored, c->stored_alg, e) : 0;

	if (r < 0 || !c->plain_alg)
		return r;
	return digest_init(&s->plain, c->plain_alg, e);
}

int stream_open(struct stream **ret, const struct stream_config *c, struct err *e)
{
	_stream_ struct stream *s = calloc(1, sizeof(*s));
	ssize_t n;
	int r;

	if (!s)
		return err_oom(e);
	s->config = *c;
	s->in = malloc(BUFFER_BYTES);
	s->out = malloc(BUFFER_BYTES);
	if (!s->in || !s->out)
		return err_oom(e);
	r = start_hashes(s, e);
	if (r < 0)
		return r;
	n = fill(s, e);
	if (n < 0)
		return (int)n;
	r = choose_decoder(s, e);
	/* Stored and plain bytes are the same where nothing is compressed: hashed once. */
	if (!s->decoder && c->stored_alg && c->plain_alg && !strcmp(c->plain_alg, c->stored_alg))
		digest_free(&s->plain);
	if (r == 0 && c->length >= AHEAD_MIN_BYTES)
		r = ahead_start(&s->ahead, produce, s, BUFFER_BYTES, e);
	if (r == 0)
		*ret = take_ptr(s);
	return r;
}

ssize_t stream_read(struct stream *s, const void **ret_data, struct err *e)
{
	ssize_t n;

	if (s->ahead) {
		n = ahead_next(s->ahead, ret_data, e);
	} else {
		n = produce(s, s->out, BUFFER_BYTES, e);
		*ret_data = s->out;
	}
	if (n > 0)
		digest_update(&s->plain, *ret_data, (size_t)n);
	return n;
}

int stream_finish(struct stream *s, struct stream_result *ret, struct err *e)
{
	struct stream_result res = {0};
	const void *data;
	ssize_t n;
	int r = 0;

	while ((n = stream_read(s, &data, e)) > 0)
		;
	if (n < 0)
		return (int)n;
	ahead_stop(&s->ahead); /* its buffers are ours from here on */
	res.stored_bytes = s->position;
	res.plain_bytes = s->produced;
	if (s->stored.impl)
		r = digest_final(&s->stored, &res.stored, e);
	if (r == 0 && s->plain.impl)
		r = digest_final(&s->plain, &res.plain, e);
	else if (r == 0 && s->config.plain_alg)
		res.plain = res.stored;
	if (r == 0)
		*ret = res;
	return r;
}

void stream_close(struct stream **sp)
{
	struct stream *s = *sp;

	*sp = NULL;
	if (!s)
		return;
	ahead_stop(&s->ahead);
	if (s->decoder)
		s->decoder->free(s->decoder);
	digest_free(&s->stored);
	digest_free(&s->plain);
	free(s->in);
	free(s->out);
	free(s);
}
