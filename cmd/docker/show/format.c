/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/format.h"

#include <stdlib.h>

#include "cmd/docker/show/template.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static bool is_table(const char *text)
{
	return !text || !*text || str_has_prefix(text, "table");
}

/* Without the word "table" and blanks around; \t and \n are what they say. */
static char *template_text(const struct format *f)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	const char *s = f->text ? f->text : "";

	if (str_eq(s, "json"))
		s = "{{json .}}";
	else if (f->raw && str_eq(s, "raw"))
		s = f->raw;
	else if (!*s || str_eq(s, "table"))
		s = f->table;
	else if (is_table(s))
		s += strlen("table");
	while (*s == ' ')
		s++;
	for (; *s; s++) {
		bool escape = s[0] == '\\' && (s[1] == 't' || s[1] == 'n');

		strbuf_addch(&b, !escape ? *s : s[1] == 't' ? '\t' : '\n');
		s += escape;
	}
	while (b.len && b.data[b.len - 1] == ' ')
		b.data[--b.len] = 0;
	return b.len ? strbuf_take(&b) : strdup("");
}

static int add_heads(const struct format *f, const struct template *t, struct strbuf *out,
		     struct err *e)
{
	_docker_value_ struct docker_value *heads = docker_value_new(DOCKER_VALUE_MAP);
	int r;

	for (const struct format_head *h = f->heads; h->field; h++)
		docker_value_str(heads, h->field, h->head);
	r = docker_value_check(heads, e);
	if (r >= 0)
		r = template_run(t, heads, TEMPLATE_HEADER, out, e);
	strbuf_addch(out, '\n');
	return r;
}

int format_rows(const struct format *f, const struct docker_value *rows, struct strbuf *out,
		struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT, cells = STRBUF_INIT;
	_free_ char *source = template_text(f);
	_template_ struct template *t = NULL;
	int r;

	if (!source)
		return err_code(e, ENOMEM, "template");
	r = template_parse("", source, &t, e);
	for (const struct docker_value *row = rows->first; row && r >= 0; row = row->next) {
		r = template_run(t, row, 0, &cells, e);
		strbuf_addch(&cells, '\n');
	}
	if (r >= 0 && is_table(f->text))
		r = add_heads(f, t, &text, e);
	if (r < 0)
		return err_wrap(e, "template parsing error");
	strbuf_add(&text, strbuf_str(&cells), cells.len);
	if (is_table(f->text))
		format_columns(strbuf_str(&text), out);
	else
		strbuf_add(out, strbuf_str(&text), text.len);
	return strbuf_check(out, e);
}

int format_object(const char *name, const char *format, const struct docker_value *object,
		  struct strbuf *out, struct err *e)
{
	_template_ struct template *t = NULL;
	int r = template_parse(name, str_eq(format, "json") ? "{{json .}}" : format, &t, e);

	if (r < 0) {
		err_wrap(e, "template parsing error");
		return FORMAT_EXIT_TEMPLATE;
	}
	r = template_run(t, object, 0, out, e);
	strbuf_addch(out, '\n');
	return r;
}

int format_inspected(const char *format, const struct docker_value *object, struct strbuf *out,
		     struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_template_ struct template *t = NULL;
	int r = template_parse("", format, &t, e);

	if (r >= 0 && template_run(t, object, 0, &text, NULL) < 0) {
		strbuf_reset(&text);
		r = template_run(t, object, TEMPLATE_RAW, &text, e);
	}
	if (r < 0)
		return err_wrap(e, "template parsing error");
	strbuf_addf(out, "%s\n", strbuf_str(&text));
	return strbuf_check(out, e);
}

/*
 * --- columns -------------------------------------------------------------------------------------
 */

#define MIN_WIDTH 10
#define PADDING 3

struct cell {
	const char *text;
	size_t len, width; /* bytes, characters */
	size_t line, column;
	bool ends;     /* with a tab: it belongs to a column */
	size_t padded; /* width of its column */
};

static size_t characters(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static size_t count_cells(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\t' || *text == '\n';
	return n;
}

static size_t split(const char *text, struct cell *cells)
{
	size_t n = 0, line = 0, column = 0;

	while (*text) {
		size_t len = strcspn(text, "\t\n");

		cells[n++] = (struct cell){
			text, len, characters(text, len), line, column, text[len] == '\t', 0};
		if (text[len] == '\t') {
			column++;
		} else {
			column = 0;
			line++;
		}
		text += len + (text[len] != 0);
	}
	return n;
}

/* A column goes on as long as the lines that follow have a cell in it. */
static void set_width(struct cell *cells, size_t n, size_t from)
{
	size_t width = MIN_WIDTH, line = cells[from].line, last = from;

	for (size_t i = from; i < n && cells[i].line <= line + 1; i++) {
		if (cells[i].column != cells[from].column || !cells[i].ends)
			continue;
		line = cells[i].line;
		last = i;
		if (cells[i].width + PADDING > width)
			width = cells[i].width + PADDING;
	}
	for (size_t i = from; i <= last; i++) {
		if (cells[i].column == cells[from].column && cells[i].ends)
			cells[i].padded = width;
	}
}

void format_columns(const char *text, struct strbuf *out)
{
	_free_ struct cell *cells = calloc(count_cells(text), sizeof(*cells));
	size_t n;

	if (!cells) {
		out->failed = true;
		return;
	}
	n = split(text, cells);
	for (size_t i = 0; i < n; i++) {
		if (cells[i].ends && !cells[i].padded)
			set_width(cells, n, i);
		strbuf_add(out, cells[i].text, cells[i].len);
		for (size_t pad = cells[i].width; pad < cells[i].padded; pad++)
			strbuf_addch(out, ' ');
		if (!cells[i].ends)
			strbuf_addch(out, '\n');
	}
}
