/* SPDX-License-Identifier: Apache-2.0 */

/* The head of a request: RFC 9112, 2 to 6, and nothing that it leaves to a reader's taste. */

#include <strings.h>

#include "cmd/engine/http/http.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"

#define TOKEN                                                 \
	"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const char *const methods[HTTP_METHODS] = {
	[HTTP_GET] = "GET", [HTTP_HEAD] = "HEAD",     [HTTP_POST] = "POST",
	[HTTP_PUT] = "PUT", [HTTP_DELETE] = "DELETE",
};

size_t http_head_end(const char *buf, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (buf[i] != '\n')
			continue;
		if (i + 1 < len && buf[i + 1] == '\n')
			return i + 2;
		if (i + 2 < len && buf[i + 1] == '\r' && buf[i + 2] == '\n')
			return i + 3;
	}
	return 0;
}

static int bad(struct err *e, const char *why)
{
	return err_set(e, EBADMSG, "bad request: %s", why);
}

/* Cuts the next line off; NULL: a control character in it that has no place in a head. */
static char *take_line(char **at, char *end)
{
	char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line)), *last;

	if (!newline)
		return NULL;
	*at = newline + 1;
	last = newline > line && newline[-1] == '\r' ? newline - 1 : newline;
	*last = 0;
	for (const char *c = line; c < last; c++) {
		if (((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7f)
			return NULL;
	}
	return line;
}

static int parse_method(const char *word, enum http_method *ret, struct err *e)
{
	for (size_t i = 0; i < HTTP_METHODS; i++) {
		if (!str_eq(word, methods[i]))
			continue;
		*ret = (enum http_method)i;
		return 0;
	}
	if (!*word || word[strspn(word, TOKEN)])
		return bad(e, "no method");
	return err_set(e, ENOSYS, "the method %.20s is none of the Engine API", word);
}

/* No segment may lead up, encoded or not. */
static bool has_dots(const char *path)
{
	while (*path) {
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if ((n == 1 || n == 2) && path[0] == '.' && path[n - 1] == '.')
			return true;
		path += n;
	}
	return false;
}

static int parse_target(char *target, struct http_head *h, struct err *e)
{
	static char none[] = "";
	char *mark;

	/* The form that a proxy is asked in. */
	if (!strncasecmp(target, "http://", 7))
		target = strchr(target + 7, '/') ? strchr(target + 7, '/') : none;
	if (*target != '/')
		return bad(e, "the target is no path");
	if (strchr(target, '#'))
		return bad(e, "a fragment in the target");
	mark = strchr(target, '?');
	h->query = mark ? mark + 1 : none;
	if (mark)
		*mark = 0;
	h->path = target;
	if (http_decode(target, false) < 0)
		return bad(e, "invalid URL escape in the path");
	return has_dots(target) ? bad(e, "\".\" or \"..\" in the path") : 0;
}

static int parse_first_line(char *line, struct http_head *h, struct err *e)
{
	char *target = strchr(line, ' '), *version = target ? strrchr(line, ' ') : NULL;
	int r;

	if (!target || version == target)
		return bad(e, "no request line");
	*target++ = 0;
	*version++ = 0;
	if (strpbrk(target, " \t"))
		return bad(e, "a blank in the target");
	if (!str_eq(version, "HTTP/1.1") && !str_eq(version, "HTTP/1.0"))
		return str_has_prefix(version, "HTTP/")
			       ? err_set(e, EPROTONOSUPPORT, "%.20s is not spoken here", version)
			       : bad(e, "no version");
	h->is_old = str_eq(version, "HTTP/1.0");
	r = parse_method(line, &h->method, e);
	return r < 0 ? r : parse_target(target, h, e);
}

/* True for a list of tokens that has this one. */
static bool has_token(const char *list, const char *token)
{
	size_t len = strlen(token);

	while (*list) {
		size_t n;

		list += strspn(list, ", \t");
		n = strcspn(list, ", \t");
		if (n == len && !strncasecmp(list, token, n))
			return true;
		list += n;
	}
	return false;
}

static int take_length(struct http_head *h, const char *value, struct err *e)
{
	if (h->has_length)
		return bad(e, "two lengths");
	if (num_parse_u64(value, INT64_MAX, &h->length_bytes) < 0)
		return bad(e, "the length is no number");
	h->has_length = true;
	return 0;
}

static int take_coding(struct http_head *h, const char *value, struct err *e)
{
	if (h->is_chunked)
		return bad(e, "two transfer codings");
	if (strcasecmp(value, "chunked") != 0)
		return err_set(e, EOPNOTSUPP, "the transfer coding %.40s is not known", value);
	h->is_chunked = true;
	return 0;
}

/* Takes the headers on which the connection itself depends. */
static int take_header(struct http_head *h, const char *name, const char *value, struct err *e)
{
	if (!strcasecmp(name, "Content-Length"))
		return take_length(h, value, e);
	if (!strcasecmp(name, "Transfer-Encoding"))
		return take_coding(h, value, e);
	if (!strcasecmp(name, "Connection")) {
		if (has_token(value, "close"))
			h->keeps_alive = false;
		else if (has_token(value, "keep-alive"))
			h->keeps_alive = true;
	} else if (!strcasecmp(name, "Upgrade")) {
		h->wants_upgrade = has_token(value, "tcp");
	} else if (!strcasecmp(name, "Expect")) {
		if (strcasecmp(value, "100-continue") != 0)
			return bad(e, "an expectation that is not known");
		h->wants_continue = true;
	}
	return 0;
}

static int parse_header(char *line, struct http_head *h, struct err *e)
{
	char *colon = strchr(line, ':'), *value, *last;

	if (*line == ' ' || *line == '\t')
		return bad(e, "a folded header line");
	if (!colon || colon == line)
		return bad(e, "a header line without a name");
	*colon = 0;
	if (line[strspn(line, TOKEN)])
		return bad(e, "a header's name with a character that none has");
	if (h->n_headers == HTTP_HEADERS_MAX)
		return bad(e, "too many header lines");
	value = colon + 1 + strspn(colon + 1, " \t");
	last = value + strlen(value);
	while (last > value && (last[-1] == ' ' || last[-1] == '\t'))
		*--last = 0;
	h->headers[h->n_headers].name = line;
	h->headers[h->n_headers++].value = value;
	return take_header(h, line, value, e);
}

int http_head_parse(char *buf, size_t len, struct http_head *ret, struct err *e)
{
	char *at = buf, *end = buf + len, *line;
	int r;

	*ret = (struct http_head){0};
	/* An empty line before the first is passed over (RFC 9112, 2.2). */
	while (at < end && (*at == '\r' || *at == '\n'))
		at++;
	line = take_line(&at, end);
	if (!line)
		return bad(e, "a control character");
	r = parse_first_line(line, ret, e);
	ret->keeps_alive = !ret->is_old;
	while (r >= 0 && at < end) {
		line = take_line(&at, end);
		if (!line)
			return bad(e, "a control character");
		if (!*line)
			break;
		r = parse_header(line, ret, e);
	}
	if (r >= 0 && ret->is_chunked && ret->has_length)
		return bad(e, "a length beside chunks");
	if (r >= 0 && ret->is_chunked && ret->is_old)
		return bad(e, "chunks of HTTP/1.0");
	return r;
}

const char *http_header(const struct http_head *h, const char *name)
{
	for (size_t i = 0; i < h->n_headers; i++) {
		if (!strcasecmp(h->headers[i].name, name))
			return h->headers[i].value;
	}
	return NULL;
}
