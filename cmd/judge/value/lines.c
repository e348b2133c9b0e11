/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/value/lines.h"

#include <poll.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/io.h"

#define READ_BYTES 65536u

/* Reads on; 0 at the end of the file, -EAGAIN where is_impatient and nothing is there. */
static int fill(struct lines *l, struct err *e)
{
	struct pollfd p = {.fd = l->fd, .events = POLLIN};
	ssize_t n;

	if (l->is_impatient && !poll(&p, 1, 0))
		return -EAGAIN;
	if (l->off) {
		memmove(l->buf.data, l->buf.data + l->off, l->buf.len - l->off);
		l->buf.len -= l->off;
		l->off = 0;
	}
	if (!strbuf_reserve(&l->buf, READ_BYTES))
		return err_oom(e);
	n = io_read_given(l->fd, l->buf.data + l->buf.len, READ_BYTES);
	if (n < 0)
		return err_sys(e, "read");
	l->buf.len += (size_t)n;
	l->at_end = !n;
	return n > 0;
}

/* Bytes beyond the limit are read and dropped, up to the newline. */
static int skip_rest(struct lines *l, struct err *e)
{
	for (;;) {
		const char *from = l->buf.data + l->off;
		const char *stop = memchr(from, '\n', l->buf.len - l->off);
		int r;

		if (stop) {
			l->end += (size_t)(stop - from) + 1;
			l->off += (size_t)(stop - from) + 1;
			return 0;
		}
		l->end += l->buf.len - l->off;
		l->off = l->buf.len;
		r = fill(l, e);
		if (r <= 0)
			return r;
	}
}

int lines_next(struct lines *l, const char **ret, size_t *ret_len, bool *ret_too_long,
	       struct err *e)
{
	int r;

	if (l->is_skipping) {
		r = skip_rest(l, e);
		if (r < 0)
			return r;
	}
	l->is_skipping = false;
	l->begin = l->end;
	for (;;) {
		const char *from = strbuf_str(&l->buf) + l->off;
		size_t have = l->buf.len - l->off;
		const char *stop =
			have > l->looked ? memchr(from + l->looked, '\n', have - l->looked) : NULL;
		size_t len = stop ? (size_t)(stop - from) : have;

		if (len > l->max || stop || (l->at_end && have)) {
			l->number++;
			l->looked = 0;
			*ret = from;
			*ret_too_long = l->is_skipping = len > l->max;
			*ret_len = len > l->max ? l->max : len;
			l->off += *ret_len + (stop && len <= l->max);
			l->end += *ret_len + (stop && len <= l->max);
			return 1;
		}
		if (l->at_end)
			return 0;
		l->looked = have;
		r = fill(l, e);
		if (r < 0)
			return r;
	}
}

void lines_free(struct lines *l)
{
	strbuf_free(&l->buf);
}
