/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/frame/text.h"
#include "runtime/base/fd.h"

#define COLUMNS_MAX 16
#define GAP 3

void table_init(struct table *t, const char *const *heading, size_t n_columns)
{
	*t = (struct table){.n_columns = n_columns};
	for (size_t i = 0; i < n_columns; i++)
		strv_add(&t->cells, heading[i]);
}

void table_free(struct table *t)
{
	strv_free(&t->cells);
}

void table_add(struct table *t, const char *text)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;

	strbuf_add_escaped(&b, text && *text ? text : "-", text && *text ? strlen(text) : 1);
	strv_take(&t->cells, strbuf_take(&b));
}

void table_addf(struct table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strv_take(&t->cells, str_vprintf(fmt, ap));
	va_end(ap);
}

void table_add_size(struct table *t, uint64_t bytes)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	text_add_size(&text, bytes);
	table_add(t, strbuf_str(&text));
}

void table_add_age(struct table *t, uint64_t then_ns, uint64_t now_ns)
{
	static const struct {
		uint64_t seconds;
		const char *name;
	} units[] = {{365 * 86400, "year"}, {30 * 86400, "month"}, {7 * 86400, "week"},
		     {86400, "day"},        {3600, "hour"},        {60, "minute"},
		     {1, "second"}};
	uint64_t s = now_ns > then_ns ? (now_ns - then_ns) / 1000000000u : 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t n = s / units[i].seconds;

		if (n) {
			table_addf(t, "%u %s%s ago", (unsigned)n, units[i].name, n > 1 ? "s" : "");
			return;
		}
	}
	table_add(t, "now");
}

/* Columns on a terminal: code points, as cells hold no control or combining tricks of ours. */
static size_t width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

void table_format(const struct table *t, struct strbuf *out)
{
	size_t widths[COLUMNS_MAX] = {0};

	if (t->cells.failed || t->n_columns > COLUMNS_MAX) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < t->cells.n; i++) {
		size_t w = width(t->cells.items[i]), *max = &widths[i % t->n_columns];

		*max = w > *max ? w : *max;
	}
	for (size_t i = 0; i < t->cells.n; i++) {
		size_t column = i % t->n_columns;

		strbuf_addstr(out, t->cells.items[i]);
		if (column + 1 == t->n_columns) {
			strbuf_addch(out, '\n');
			continue;
		}
		for (size_t pad = width(t->cells.items[i]); pad < widths[column] + GAP; pad++)
			strbuf_addch(out, ' ');
	}
}
