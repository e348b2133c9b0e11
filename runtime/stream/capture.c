/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stream/capture.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/str.h"

#define GROW_BYTES 4096u

void capture_init(struct capture *c, uint64_t limit)
{
	*c = (struct capture){.limit = limit};
}

void capture_free(struct capture *c)
{
	free(c->head);
	free(c->tail);
	capture_init(c, 0);
}

/* Doubles the head up to its half of the limit, so that a short stream costs little memory. */
static bool grow_head(struct capture *c, size_t want, size_t max)
{
	size_t cap = c->head_cap ? c->head_cap : GROW_BYTES;
	char *p;

	while (cap < want)
		cap *= 2;
	cap = cap < max ? cap : max;
	if (cap <= c->head_cap)
		return true;
	p = realloc(c->head, cap);
	if (!p)
		return false;
	c->head = p;
	c->head_cap = cap;
	return true;
}

static size_t add_head(struct capture *c, const char *buf, size_t len)
{
	uint64_t max = c->limit / 2;
	size_t n = max - c->head_len < len ? (size_t)(max - c->head_len) : len;

	if (!n)
		return 0;
	if (!grow_head(c, c->head_len + n, max)) {
		c->failed = true;
		return 0;
	}
	memcpy(c->head + c->head_len, buf, n);
	c->head_len += n;
	return n;
}

/* The ring's position follows from the number of bytes that went past the head. */
static void add_tail(struct capture *c, uint64_t past, const char *buf, size_t len)
{
	uint64_t size = c->limit - c->limit / 2;

	if (!len || !size)
		return;
	if (!c->tail) {
		c->tail = malloc(size);
		c->tail_size = c->tail ? size : 0;
		c->failed = c->failed || !c->tail;
	}
	if (!c->tail)
		return;
	if (len > size) {
		past += len - size;
		buf += len - size;
		len = size;
	}
	while (len) {
		size_t at = (size_t)(past % size), n = size - at < len ? (size_t)(size - at) : len;

		memcpy(c->tail + at, buf, n);
		buf += n;
		len -= n;
		past += n;
	}
}

size_t capture_add(struct capture *c, const char *buf, size_t len)
{
	size_t n = add_head(c, buf, len);

	add_tail(c, c->total - (c->head_len - n), buf + n, len - n);
	c->total += len;
	return n;
}

bool capture_is_truncated(const struct capture *c)
{
	return c->total > c->limit || c->failed;
}

static bool is_continuation(char ch)
{
	return ((unsigned char)ch & 0xc0) == 0x80;
}

/* Length of s without a last character that is cut off, if that is all that is wrong there. */
static size_t cut_end(const char *s, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		unsigned char lead = (unsigned char)s[len - back];
		size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;

		if (!is_continuation((char)lead))
			return need > back ? len - back : len;
	}
	return len;
}

void capture_text(const struct capture *c, bool skip_head, struct strbuf *out)
{
	uint64_t past = c->total - c->head_len;
	bool cut = past > c->tail_size;
	size_t len = cut ? c->tail_size : (size_t)past, at, first;

	if (!skip_head)
		strbuf_add(out, c->head, cut ? cut_end(c->head, c->head_len) : c->head_len);
	if (!c->tail || !len)
		return;
	at = cut ? (size_t)(past % c->tail_size) : 0;
	if (cut) {
		/* At most three bytes of a character whose beginning is gone. */
		for (int i = 0; i < 3 && len && is_continuation(c->tail[at]); i++, len--)
			at = (at + 1) % c->tail_size;
	}
	first = c->tail_size - at < len ? c->tail_size - at : len;
	strbuf_add(out, c->tail + at, first);
	strbuf_add(out, c->tail, len - first);
}
