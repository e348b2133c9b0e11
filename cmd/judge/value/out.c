/* SPDX-License-Identifier: Apache-2.0 */

/* Values as text: JSON for programs, Python's notation for people. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/judge/value/value.h"
#include "cmd/judge/value/json.h"
#include "runtime/base/base64.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

/* The shortest that reads back as the same number. */
static void write_digits(double d, char text[40])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 40, "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
}

/* As Python and JavaScript write it. */
static void write_double(double d, struct strbuf *out)
{
	char text[40];

	write_digits(d, text);
	strbuf_addstr(out, text);
	if (!strpbrk(text, ".en"))
		strbuf_addstr(out, ".0");
}

static void write_json_text(const char *text, size_t len, struct strbuf *out)
{
	struct json_out j = JSON_OUT_INIT;

	json_strn(&j, text, len);
	strbuf_add(out, strbuf_str(&j.buf), j.buf.len);
	json_out_free(&j);
}

static void write_json_items(const struct value *v, struct strbuf *out)
{
	strbuf_addch(out, '[');
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			strbuf_addch(out, ',');
		value_write_json(&v->items[i], out);
	}
	strbuf_addch(out, ']');
}

static void write_json_dict(const struct value *v, struct strbuf *out)
{
	bool plain = true;

	/*
	 * A key of the form of our own words would read back as one of them, and two that are no UTF-8 may be written as the
	 * same.
	 */
	for (size_t i = 0; plain && i < v->n; i += 2) {
		const struct value *key = &v->items[i];

		plain = key->kind == VALUE_STR && *key->text != '$' &&
			str_is_utf8(key->text, key->n);
	}
	strbuf_addstr(out, plain ? "{" : "{\"$dict\":[");
	for (size_t i = 0; i < v->n; i += 2) {
		strbuf_addstr(out, i ? "," : "");
		strbuf_addstr(out, plain ? "" : "[");
		value_write_json(&v->items[i], out);
		strbuf_addch(out, plain ? ':' : ',');
		value_write_json(&v->items[i + 1], out);
		strbuf_addstr(out, plain ? "" : "]");
	}
	strbuf_addstr(out, plain ? "}" : "]}");
}

static void write_json_float(double d, struct strbuf *out)
{
	if (isfinite(d))
		write_double(d, out);
	else
		strbuf_addf(out, "{\"$float\":\"%s\"}", isnan(d) ? "nan" : d > 0 ? "inf" : "-inf");
}

static void write_json_bytes(const struct value *v, struct strbuf *out)
{
	strbuf_addstr(out, "{\"$bytes\":\"");
	base64_encode(v->text, v->n, out);
	strbuf_addstr(out, "\"}");
}

void value_write_json(const struct value *v, struct strbuf *out)
{
	switch (v->kind) {
	case VALUE_NONE:
		strbuf_addstr(out, "null");
		break;
	case VALUE_BOOL:
		strbuf_addstr(out, v->truth ? "true" : "false");
		break;
	case VALUE_INT:
		strbuf_add(out, v->text, v->n);
		break;
	case VALUE_FLOAT:
		write_json_float(v->number, out);
		break;
	case VALUE_STR:
		write_json_text(v->text, v->n, out);
		break;
	case VALUE_BYTES:
		write_json_bytes(v, out);
		break;
	case VALUE_LIST:
		write_json_items(v, out);
		break;
	case VALUE_TUPLE:
	case VALUE_SET:
	case VALUE_COMPLEX:
	case VALUE_RANGE:
		strbuf_addf(out, "{\"$%s\":", value_type_name(v));
		write_json_items(v, out);
		strbuf_addch(out, '}');
		break;
	case VALUE_DICT:
		write_json_dict(v, out);
		break;
	case VALUE_OPAQUE:
		strbuf_addstr(out, "{\"$other\":");
		write_json_text(v->items[0].text, v->items[0].n, out);
		strbuf_addstr(out, ",\"repr\":");
		write_json_text(v->items[1].text, v->items[1].n, out);
		strbuf_addch(out, '}');
		break;
	case VALUE_MADE:
		strbuf_addstr(out, "{\"$made\":");
		write_json_items(v, out);
		strbuf_addch(out, '}');
		break;
	}
}

/*
 * --- as Python writes it ------------------------------------------------------------------------
 */

static void write_quoted(const char *s, size_t len, bool is_bytes, size_t most, struct strbuf *out)
{
	strbuf_addstr(out, is_bytes ? "b'" : "'");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		/* A character is cut off whole. */
		if (out->len >= most && (is_bytes || (c & 0xc0) != 0x80))
			break;

		if (c == '\n' || c == '\t' || c == '\r')
			strbuf_addf(out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
		else if (c == '\'' || c == '\\')
			strbuf_addf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f || (is_bytes && c > 0x7f))
			strbuf_addf(out, "\\x%02x", c);
		else
			strbuf_addch(out, (char)c);
	}
	strbuf_addch(out, '\'');
}

/* (1+2j), 2j */
static void write_complex(double real, double imaginary, struct strbuf *out)
{
	bool is_whole = real != 0 || signbit(real);
	char text[40];

	if (is_whole) {
		write_digits(real, text);
		strbuf_addf(out, "(%s", text);
	}
	write_digits(imaginary, text);
	strbuf_addf(out, "%s%sj%s", is_whole && *text != '-' ? "+" : "", text, is_whole ? ")" : "");
}

static void write_range(const struct value *v, struct strbuf *out)
{
	bool has_step = !str_eq(v->items[2].text, "1");

	strbuf_addf(out, "range(%s, %s%s%s)", v->items[0].text, v->items[1].text,
		    has_step ? ", " : "", has_step ? v->items[2].text : "");
}

static void write_python(const struct value *v, size_t most, struct strbuf *out);

static void write_python_items(const struct value *v, size_t most, struct strbuf *out)
{
	static const char *const open[] = {
		[VALUE_LIST] = "[", [VALUE_TUPLE] = "(", [VALUE_DICT] = "{", [VALUE_SET] = "{"};
	static const char *const end[] = {
		[VALUE_LIST] = "]", [VALUE_TUPLE] = ")", [VALUE_DICT] = "}", [VALUE_SET] = "}"};

	if (v->kind == VALUE_SET && !v->n) {
		strbuf_addstr(out, "set()");
		return;
	}
	strbuf_addstr(out, open[v->kind]);
	for (size_t i = 0; i < v->n && out->len < most; i++) {
		if (i)
			strbuf_addstr(out, v->kind == VALUE_DICT && i % 2 ? ": " : ", ");
		write_python(&v->items[i], most, out);
	}
	if (v->kind == VALUE_TUPLE && v->n == 1)
		strbuf_addch(out, ',');
	strbuf_addstr(out, end[v->kind]);
}

static void write_python(const struct value *v, size_t most, struct strbuf *out)
{
	switch (v->kind) {
	case VALUE_NONE:
		strbuf_addstr(out, "None");
		break;
	case VALUE_BOOL:
		strbuf_addstr(out, v->truth ? "True" : "False");
		break;
	case VALUE_INT:
		strbuf_add(out, v->text, v->n > most ? most : v->n);
		break;
	case VALUE_FLOAT:
		write_double(v->number, out);
		break;
	case VALUE_STR:
	case VALUE_BYTES:
		write_quoted(v->text, v->n, v->kind == VALUE_BYTES, most, out);
		break;
	case VALUE_COMPLEX:
		write_complex(v->items[0].number, v->items[1].number, out);
		break;
	case VALUE_RANGE:
		write_range(v, out);
		break;
	case VALUE_OPAQUE:
		strbuf_add(out, v->items[1].text, v->items[1].n > most ? most : v->items[1].n);
		break;
	case VALUE_MADE:
		strbuf_addf(out, "%s(", v->items[0].text);
		write_python(&v->items[1], most, out);
		strbuf_addch(out, ')');
		break;
	default:
		write_python_items(v, most, out);
	}
}

void value_write_python(const struct value *v, size_t max_bytes, struct strbuf *out)
{
	size_t start = out->len;

	write_python(v, start + max_bytes, out);
	if (out->len > start + max_bytes && !out->failed) {
		/* Not in the middle of a character. */
		size_t end = start + max_bytes;

		while (end > start && ((unsigned char)out->data[end] & 0xc0) == 0x80)
			end--;
		out->len = end;
		out->data[end] = 0;
		strbuf_addstr(out, "...");
	}
}
