/* SPDX-License-Identifier: Apache-2.0 */

/* What came back for a case, which is foreign, against what was expected. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/eval/cases.h"
#include "cmd/eval/value_json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json_out.h"

#define SHOWN_BYTES 300u             /* of a value in a sentence */
#define OUTPUT_BYTES_MAX (64u << 10) /* of a value in the result object */

static void failed(struct eval_case *c, const char *fmt, va_list ap)
{
	_free_ char *text = str_vprintf(fmt, ap);

	c->is_judged = true;
	c->passed = false;
	strbuf_reset(&c->detail);
	if (text)
		strbuf_addstr(&c->detail, text);
}

void eval_case_failed(struct eval_case *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	failed(c, fmt, ap);
	va_end(ap);
}

static void passed(struct eval_case *c)
{
	c->is_judged = c->passed = true;
}

static char *show(const struct value *v)
{
	struct strbuf out = STRBUF_INIT;

	value_write_python(v, SHOWN_BYTES, &out);
	return strbuf_take(&out);
}

static const char *or_none(const char *s)
{
	return s ? s : "?";
}

static void judge_value(struct eval_case *c, const char *type)
{
	_free_ char *got = show(&c->output);
	_free_ char *wanted = c->expected ? show(c->expected) : NULL;

	if (c->expected_exception)
		eval_case_failed(c, "returned %s, expected the exception %s", or_none(got),
				 c->expected_exception);
	else if (c->expected_type && !str_eq(type, c->expected_type))
		eval_case_failed(c, "returned a %.100s, expected a %s", type, c->expected_type);
	else if (c->expected && !compare_values(&c->compare, c->expected, &c->output))
		eval_case_failed(c, "returned %s, expected %s", or_none(got), or_none(wanted));
	else
		passed(c);
}

void eval_case_printed(struct eval_case *c, const char *text, size_t len)
{
	_free_ char *got = NULL, *wanted = NULL;

	c->output = (struct value){.kind = VALUE_STR, .n = len, .text = text};
	c->has_output = true;
	if (!c->expected ||
	    compare_texts(&c->compare, c->expected->text, c->expected->n, text, len)) {
		passed(c);
		return;
	}
	got = show(&c->output);
	wanted = show(c->expected);
	eval_case_failed(c, "printed %s, expected %s", or_none(got), or_none(wanted));
}

static void judge_exception(struct eval_case *c, const char *type, const char *message, long line)
{
	_free_ char *where = line > 0 ? str_printf(" in line %ld", line) : str_printf("%s", "");
	const char *colon = *message ? ": " : "";

	if (!c->expected_exception)
		eval_case_failed(c, "raised %.200s%s%s%.1000s", type, or_none(where), colon,
				 message);
	else if (!exception_is(type, c->expected_exception))
		eval_case_failed(c, "raised %.200s%s%s%.1000s, expected %s", type, or_none(where),
				 colon, message, c->expected_exception);
	else if (c->message && !pattern_is_in(c->message, message))
		eval_case_failed(c, "raised %.200s with another message: %.1000s", type, message);
	else
		passed(c);
}

/* ["R", type, value, printed], ["E" or "U", type, message, line, printed], ["T", type, why,
 * printed] */
static bool judge_answer(struct eval_case *c, struct value *v)
{
	const struct value *x = v->items, *printed;
	char kind;

	if (v->kind != VALUE_LIST || v->n < 4 || x[0].kind != VALUE_STR || x[0].n != 1 ||
	    x[1].kind != VALUE_STR)
		return false;
	kind = x[0].text[0];
	printed = &x[v->n - 1];
	if (kind == 'R' && v->n == 4) {
		/* The tag says what it is; what the program says counts where there is no tag. */
		const char *type = x[2].kind == VALUE_OPAQUE ? x[1].text : value_type_name(&x[2]);

		c->output = x[2];
		c->has_output = true;
		if (c->compare.kind != COMPARE_STDOUT || c->expected_exception ||
		    (c->expected_type && !str_eq(type, c->expected_type)))
			judge_value(c, type);
		else if (printed->kind == VALUE_STR)
			eval_case_printed(c, printed->text, printed->n);
		return c->is_judged;
	}
	if ((kind == 'E' || kind == 'U') && v->n == 5 && x[2].kind == VALUE_STR &&
	    x[3].kind == VALUE_INT) {
		if (kind == 'U')
			eval_case_failed(c, "%.300s", x[2].text);
		else
			judge_exception(c, x[1].text, x[2].text, strtol(x[3].text, NULL, 10));
		return true;
	}
	if (kind == 'T' && v->n == 4 && x[2].kind == VALUE_STR) {
		eval_case_failed(c, "returned a %.100s that cannot be compared: %.200s", x[1].text,
				 x[2].text);
		return true;
	}
	return false;
}

void eval_case_answered(struct eval_cases *all, struct eval_case *c, const char *payload,
			size_t len)
{
	struct err e = ERR_INIT;
	struct value v;

	if (value_read_literal(&all->pool, payload, len, &v, &e) < 0 || value_sort(&v, &e) < 0)
		eval_case_failed(c, "answered with garbage (%s)", e.msg);
	else if (!judge_answer(c, &v))
		eval_case_failed(c, "answered with garbage");
}

bool eval_cases_all_passed(const struct eval_cases *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->items[i].passed)
			return false;
	}
	return true;
}

double eval_cases_score(const struct eval_cases *c)
{
	double got = 0, all = 0;

	for (size_t i = 0; i < c->n; i++) {
		all += c->items[i].weight;
		got += c->items[i].passed ? c->items[i].weight : 0;
	}
	return all > 0 ? got / all : 0;
}

/* --- words ---------------------------------------------------------------------------------------
 */

static void write_value(const struct value *v, struct json_out *j)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	value_write_json(v, &text);
	if (text.len > OUTPUT_BYTES_MAX) {
		strbuf_reset(&text);
		value_write_python(v, OUTPUT_BYTES_MAX / 4, &text);
		json_strn(j, strbuf_str(&text), text.len);
	} else {
		json_raw(j, strbuf_str(&text));
	}
}

static void write_expected(const struct eval_case *c, struct json_out *j)
{
	json_key(j, "expected");
	if (c->expected)
		write_value(c->expected, j);
	else
		json_null(j);
	if (c->expected_type)
		json_kstr(j, "expected_type", c->expected_type);
	if (c->expected_exception)
		json_kstr(j, "expected_exception", c->expected_exception);
}

static void write_double(struct json_out *j, const char *key, double d)
{
	struct value v = {.kind = VALUE_FLOAT, .number = d};

	json_key(j, key);
	write_value(&v, j);
}

void eval_cases_write(const struct eval_cases *c, struct json_out *j)
{
	json_key(j, "cases");
	json_begin_array(j);
	for (size_t i = 0; i < c->n; i++) {
		const struct eval_case *x = &c->items[i];

		json_begin_object(j);
		json_kstr(j, "name", x->name);
		json_kbool(j, "passed", x->passed);
		json_key(j, "output");
		if (x->has_output)
			write_value(&x->output, j);
		else
			json_null(j);
		write_expected(x, j);
		json_kstr(j, "detail", x->detail.len ? strbuf_str(&x->detail) : NULL);
		json_key(j, "duration_ms");
		json_milli(j, x->duration_ns / 1000u);
		write_double(j, "weight", x->weight);
		json_end_object(j);
	}
	json_end_array(j);
	json_kbool(j, "all_passed", eval_cases_all_passed(c));
	write_double(j, "score", eval_cases_score(c));
}

char *eval_case_sentence(const struct eval_case *c, const char *function)
{
	_strbuf_ struct strbuf call = STRBUF_INIT;
	_free_ char *args = show(&c->args);
	size_t len = args ? strlen(args) : 0;

	if (function && args) {
		/* The list's brackets become the call's. */
		strbuf_addf(&call, "%s(%.*s", function, len > 2 ? (int)len - 2 : 0, args + 1);
		for (size_t i = 0; i < c->kwargs.n; i += 2) {
			strbuf_addf(&call, "%s%s=", i || c->args.n ? ", " : "",
				    c->kwargs.items[i].text);
			value_write_python(&c->kwargs.items[i + 1], SHOWN_BYTES, &call);
		}
		strbuf_addstr(&call, ") ");
	}
	return str_printf("Case %s: %s%s.", c->name, strbuf_str(&call), strbuf_str(&c->detail));
}
