/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/report/markup.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/base/str.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the character at p, 0 where it is none that may stand in XML. */
static size_t character(const unsigned char *p, size_t len)
{
	size_t n = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
	uint32_t c = n == 1 ? *p : *p & (0x7fu >> n);
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	if (n == 1)
		return c >= 0x20 && c != 0x7f;
	if (*p < 0xc2 || *p > 0xf4 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe)
		return 0;
	return n;
}

static const char *entity(char c, bool is_attribute)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\n':
		return is_attribute ? "&#10;" : "\n";
	case '\t':
		return is_attribute ? "&#9;" : "\t";
	default:
		return NULL;
	}
}

static void add(struct strbuf *out, const char *text, size_t len, bool is_attribute)
{
	for (size_t i = 0; i < len;) {
		const char *word = entity(text[i], is_attribute);
		size_t n = word ? 1 : character((const unsigned char *)text + i, len - i);

		if (word)
			strbuf_addstr(out, word);
		else if (n)
			strbuf_add(out, text + i, n);
		else
			strbuf_addstr(out, REPLACEMENT);
		i += n ? n : 1;
	}
}

void markup_text(struct strbuf *out, const char *text, size_t len)
{
	add(out, text, len, false);
}

void markup_attribute(struct strbuf *out, const char *text, size_t len)
{
	add(out, text, len, true);
}

void markup_str(struct strbuf *out, const char *text)
{
	if (text)
		add(out, text, strlen(text), true);
}
