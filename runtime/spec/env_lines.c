/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/env_lines.h"

#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static bool is_name_char(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (!first && c >= '0' && c <= '9');
}

/* Length of the name that text begins with. */
static size_t name_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && is_name_char(text[n], !n))
		n++;
	return n;
}

bool env_name_is_valid(const char *text)
{
	size_t n = name_length(text, strlen(text));

	return n && (!text[n] || text[n] == '=');
}

struct piece {
	const char *at;
	size_t len;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void trim(struct piece *p)
{
	while (p->len && is_blank(*p->at))
		p->at++, p->len--;
	while (p->len && is_blank(p->at[p->len - 1]))
		p->len--;
}

static void unquote(struct piece *p)
{
	char quote = p->len ? *p->at : 0;

	if ((quote == '"' || quote == '\'') && p->len >= 2 && p->at[p->len - 1] == quote)
		p->at++, p->len -= 2;
}

/* True unless the line is an assignment that cannot be. */
static bool add_line(struct piece line, unsigned flags, struct strv *out)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct piece value;
	size_t n;

	if (flags & ENV_LINES_HAND) {
		trim(&line);
		if (line.len > 7 && !strncmp(line.at, "export ", 7)) {
			line.at += 7, line.len -= 7;
			trim(&line);
		}
	}
	if (!line.len || *line.at == '#')
		return true;
	n = name_length(line.at, line.len);
	if (!n || n == line.len || line.at[n] != '=')
		return false;
	value = (struct piece){line.at + n + 1, line.len - n - 1};
	if (flags & ENV_LINES_HAND)
		unquote(&value);
	strbuf_add(&text, line.at, n + 1);
	strbuf_add(&text, value.at, value.len);
	strv_take(out, strbuf_take(&text));
	return true;
}

int env_lines_parse(const char *buf, size_t len, unsigned flags, struct strv *out,
		    struct strv *ret_wrong, struct err *e)
{
	char end = len && memchr(buf, 0, len) ? 0 : '\n';
	unsigned number = 0;

	while (len) {
		const char *stop = memchr(buf, end, len);
		struct piece line = {buf, stop ? (size_t)(stop - buf) : len};

		number++;
		if (!add_line(line, flags, out) && ret_wrong)
			strv_take(ret_wrong, str_printf("line %u: not NAME=VALUE", number));
		line.len += stop != NULL;
		buf += line.len;
		len -= line.len;
	}
	return strv_check(out, e);
}
