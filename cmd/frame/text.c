/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/text.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/str.h"

static void add_blanks(struct strbuf *out, size_t n)
{
	while (n--)
		strbuf_addch(out, ' ');
}

void text_wrap(struct strbuf *out, const char *text, size_t column, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t n = strcspn(text, " \n");

		if (n && !first && column + 1 + n > TEXT_COLUMNS) {
			strbuf_addch(out, '\n');
			add_blanks(out, indent);
			column = indent;
			first = true;
		}
		if (n && !first) {
			strbuf_addch(out, ' ');
			column++;
		}
		strbuf_add(out, text, n);
		column += n;
		first = first && !n;
		text += n;
		if (*text == '\n') {
			strbuf_addch(out, '\n');
			add_blanks(out, text[1] ? indent : 0);
			column = indent;
			first = true;
		}
		text += *text != 0;
	}
	strbuf_addch(out, '\n');
}

void text_two_columns(struct strbuf *out, const char *left, const char *text, size_t column)
{
	size_t n = strlen(left);

	strbuf_addstr(out, left);
	if (n + 2 > column) {
		strbuf_addch(out, '\n');
		n = 0;
	}
	add_blanks(out, column - n);
	text_wrap(out, text, column, column);
}

/* Length of the paragraph at text, without the empty line after it. */
static size_t paragraph_len(const char *text)
{
	const char *end = strstr(text, "\n\n");

	return end ? (size_t)(end - text) : strlen(text);
}

void text_paragraphs(struct strbuf *out, const char *text)
{
	while (*text) {
		_strbuf_ struct strbuf one = STRBUF_INIT;
		size_t n = paragraph_len(text);

		if (*text == ' ') {
			strbuf_add(out, text, n);
			strbuf_addch(out, '\n');
		} else {
			strbuf_add(&one, text, n);
			for (size_t i = 0; i < one.len; i++) {
				if (one.data[i] == '\n')
					one.data[i] = ' ';
			}
			text_wrap(out, strbuf_str(&one), 0, 0);
		}
		text += n;
		text += strspn(text, "\n");
		if (*text)
			strbuf_addch(out, '\n');
	}
}

/* A backslash begins an escape everywhere, a dot or an apostrophe a macro at a line's start. */
static void add_man_char(struct strbuf *out, char c, bool at_start)
{
	if (at_start && (c == '.' || c == '\''))
		strbuf_addstr(out, "\\&");
	if (c == '\\')
		strbuf_addstr(out, "\\e");
	else
		strbuf_addch(out, c);
}

/* Literal text keeps its lines, less the indentation; prose gets a line a sentence. */
static void man_lines(struct strbuf *out, const char *text, size_t len, bool literal)
{
	bool at_start = true;

	for (size_t i = 0; i < len; i++) {
		bool ends = !literal && i && strchr(".?!:", text[i - 1]) && i + 1 < len;

		if (literal && at_start && text[i] == ' ')
			continue;
		if (text[i] == '\n' || (text[i] == ' ' && ends)) {
			strbuf_addch(out, '\n');
			at_start = true;
			continue;
		}
		add_man_char(out, text[i], at_start);
		at_start = false;
	}
	strbuf_addch(out, '\n');
}

void text_man_prose(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t n = paragraph_len(text);
		bool literal = *text == ' ';

		if (literal)
			strbuf_addstr(out, ".Bd -literal -offset indent\n");
		man_lines(out, text, n, literal);
		if (literal)
			strbuf_addstr(out, ".Ed\n");
		text += n;
		text += strspn(text, "\n");
		if (*text)
			strbuf_addstr(out, ".Pp\n");
	}
}

void text_add_size(struct strbuf *out, uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	double v = (double)bytes;
	size_t unit = 0;

	while (v >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		v /= 1000;
		unit++;
	}
	strbuf_addf(out, unit ? "%.1f %s" : "%.0f %s", v, units[unit]);
}
