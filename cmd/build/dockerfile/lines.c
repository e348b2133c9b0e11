/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/lines.h"

#include <stdbool.h>
#include <string.h>

#include "cmd/build/dockerfile/directive.h"
#include "runtime/base/err.h"

struct span {
	const char *p;
	size_t len;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

static struct span trim_left(struct span s)
{
	while (s.len && is_blank(*s.p))
		s.p++, s.len--;
	return s;
}

/* The next physical line, *ret without its newline, *ret_whole with it. 0 at the end. */
static int read_line(struct line_reader *r, struct span *ret, struct span *ret_whole, struct err *e)
{
	const char *end;

	if (r->p == r->end)
		return 0;
	end = memchr(r->p, '\n', (size_t)(r->end - r->p));
	ret_whole->p = ret->p = r->p;
	ret_whole->len = (size_t)((end ? end + 1 : r->end) - r->p);
	ret->len = ret_whole->len - (end ? 1 : 0);
	r->p += ret_whole->len;
	r->line++;
	if (ret_whole->len > DOCKERFILE_LINE_MAX)
		return err_set(e, EINVAL, "dockerfile line greater than maximum allowed size of %u",
			       DOCKERFILE_LINE_MAX);
	if (memchr(ret->p, 0, ret->len))
		return err_set(e, EINVAL, "the line holds a NUL byte");
	while (ret->len && ret->p[ret->len - 1] == '\r')
		ret->len--;
	return 1;
}

int lines_begin(struct line_reader *r, const char *text, size_t len, struct dockerfile *d,
		struct err *e)
{
	struct span line, whole;
	int got = 0;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3, len -= 3;
	*r = (struct line_reader){.p = text, .end = text + len};
	for (struct line_reader at = *r; read_line(&at, &line, &whole, e) > 0; *r = at) {
		got = directive_line(d, line.p, line.len, e);
		if (got <= 0)
			break;
	}
	if (got < 0) {
		r->line++;
		return got;
	}
	if (!d->escape)
		d->escape = '\\';
	r->escape = d->escape;
	return 0;
}

static bool is_comment(struct span s)
{
	s = trim_left(s);
	return s.len && *s.p == '#';
}

/* Cuts the escape character that ends a line, and blanks behind it; true if there was one. */
static bool cut_continuation(struct span *s, char escape)
{
	size_t n = s->len;

	while (n && (s->p[n - 1] == ' ' || s->p[n - 1] == '\t'))
		n--;
	if (!n || s->p[n - 1] != escape || (n > 1 && s->p[n - 2] == escape))
		return false;
	s->len = n - 1;
	return true;
}

/* The text behind a line that goes on. */
static int read_continued(struct line_reader *r, struct logical_line *out, struct err *e)
{
	struct span line, whole;
	bool goes_on = true;
	int got = 1;

	while (goes_on && (got = read_line(r, &line, &whole, e)) > 0) {
		out->end_line = r->line;
		if (is_comment(line) || !trim_left(line).len)
			continue;
		goes_on = cut_continuation(&line, r->escape);
		strbuf_add(&out->text, line.p, line.len);
	}
	return got < 0 ? got : strbuf_check(&out->text, e);
}

int lines_next(struct line_reader *r, struct logical_line *out, struct err *e)
{
	struct span line, whole;
	int got;

	strbuf_reset(&out->text);
	while ((got = read_line(r, &line, &whole, e)) > 0) {
		bool goes_on;

		out->line = out->end_line = r->line;
		line = trim_left(line);
		if (!line.len || *line.p == '#')
			continue;
		goes_on = cut_continuation(&line, r->escape);
		strbuf_add(&out->text, line.p, line.len);
		got = goes_on ? read_continued(r, out, e) : strbuf_check(&out->text, e);
		if (got < 0)
			break;
		line = trim_left((struct span){strbuf_str(&out->text), out->text.len});
		if (line.len)
			return 1;
		strbuf_reset(&out->text);
	}
	if (got < 0)
		out->end_line = r->line;
	return got;
}

int lines_heredoc(struct line_reader *r, struct dockerfile_heredoc *h, struct err *e)
{
	struct strbuf data = STRBUF_INIT;
	struct span line, whole;
	int got;

	while ((got = read_line(r, &line, &whole, e)) > 0) {
		struct span end = line;

		while (h->chomp && end.len && *end.p == '\t')
			end.p++, end.len--;
		if (end.len == strlen(h->name) && !memcmp(end.p, h->name, end.len))
			break;
		strbuf_add(&data, whole.p, whole.len);
	}
	if (!got)
		got = err_set(e, EINVAL, "unterminated heredoc");
	h->len = data.len;
	if (got > 0) {
		strbuf_add(&data, "", 1);
		h->data = strbuf_take(&data);
		if (!h->data)
			got = err_oom(e);
	}
	strbuf_free(&data);
	return got < 0 ? got : 0;
}
