/* SPDX-License-Identifier: Apache-2.0 */

/* Compares the answer for a case, which is foreign, with what was expected. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/cases.h"
#include "cmd/judge/value/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

#define SHOWN_BYTES 300u             /* of a value in a sentence */
#define OUTPUT_BYTES_MAX (64u << 10) /* of a value in the result object */
#define OUTPUT_DEPTH_MAX 90u /* likewise: a $dict is deeper than its value, and others read it */

void eval_case_failed(struct eval_case *c, enum eval_outcome outcome, const char *fmt, ...)
{
	_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	c->outcome = outcome;
	strbuf_reset(&c->detail);
	if (text)
		strbuf_addstr(&c->detail, text);
}

void eval_cases_fail_rest(struct eval_cases *c, enum eval_outcome outcome, const char *why)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->items[i].outcome == EVAL_OPEN)
			eval_case_failed(&c->items[i], outcome, "%s", why);
	}
}

static void passed(struct eval_case *c)
{
	c->outcome = EVAL_PASSED;
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

/* How deep a JSON text is nested. */
static unsigned depth_of(const char *p)
{
	unsigned depth = 0, deepest = 0;
	bool is_quoted = false;

	for (; *p; p++) {
		if (is_quoted && *p == '\\')
			p++;
		else if (*p == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && (*p == '[' || *p == '{') && ++depth > deepest)
			deepest = depth;
		else if (!is_quoted && (*p == ']' || *p == '}'))
			depth--;
	}
	return deepest;
}

static void write_value(const struct value *v, struct json_out *j)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	value_write_json(v, &text);
	if (text.len > OUTPUT_BYTES_MAX || depth_of(strbuf_str(&text)) > OUTPUT_DEPTH_MAX) {
		strbuf_reset(&text);
		value_write_python(v, OUTPUT_BYTES_MAX / 4, &text);
		json_strn(j, strbuf_str(&text), text.len);
	} else {
		json_raw(j, strbuf_str(&text));
	}
}

static void keep_output(struct eval_case *c, const struct value *v)
{
	struct json_out j = JSON_OUT_INIT;

	write_value(v, &j);
	strbuf_reset(&c->output);
	strbuf_add(&c->output, strbuf_str(&j.buf), j.buf.len);
	json_out_free(&j);
}

/* The name for the class of a value: the program's own word, if the tag does not tell it. */
static const char *type_of(const struct value *v, const char *said)
{
	if (!value_has_tag(said))
		return said;
	return v->kind >= VALUE_OPAQUE ? "class of that name" : value_type_name(v);
}

/* names: one, or several with `|` between them, which a blank may stand beside */
static bool is_named(const char *names, const char *name)
{
	const size_t len = strlen(name);

	while (*names) {
		const size_t all = strcspn(names, "|"), before = strspn(names, " ");
		size_t end = all;

		while (end > before && names[end - 1] == ' ')
			end--;
		if (end > before && end - before == len && !strncmp(names + before, name, len))
			return true;
		names += all + (names[all] == '|');
	}
	return false;
}

/* A subclass of what has a tag is of that type too. */
static bool is_of_type(const struct value *v, const char *said, const char *expected)
{
	return is_named(expected, type_of(v, said)) ||
	       (v->kind < VALUE_OPAQUE && is_named(expected, value_type_name(v)));
}

static void judge_value(struct eval_case *c, const struct value *v, const char *said)
{
	_free_ char *got = show(v);
	_free_ char *wanted = c->expected ? show(c->expected) : NULL;

	if (c->expected_exception)
		eval_case_failed(c, EVAL_NO_EXCEPTION, "returned %s, expected the exception %s",
				 or_none(got), c->expected_exception);
	else if (c->expected_type && !is_of_type(v, said, c->expected_type))
		eval_case_failed(c, EVAL_WRONG_TYPE, "returned a %.100s, expected a %s",
				 type_of(v, said), c->expected_type);
	else if (c->expected && c->compare.kind != COMPARE_STDOUT &&
		 !compare_values(&c->compare, c->expected, v))
		eval_case_failed(c, EVAL_WRONG_VALUE, "returned %s, expected %s", or_none(got),
				 or_none(wanted));
	else
		passed(c);
}

void eval_case_printed(struct eval_case *c, const char *text, size_t len)
{
	const struct value v = {.kind = VALUE_STR, .n = len, .text = text};
	_free_ char *got = NULL, *wanted = NULL;

	keep_output(c, &v);
	if (!c->expected ||
	    compare_texts(&c->compare, c->expected->text, c->expected->n, text, len)) {
		passed(c);
		return;
	}
	got = show(&v);
	wanted = show(c->expected);
	eval_case_failed(c, EVAL_WRONG_OUTPUT, "printed %s, expected %s", or_none(got),
			 or_none(wanted));
}

/* The output while the function ran: bytes, or None where it was too much to be told. */
static void judge_printed(struct eval_case *c, const struct value *printed)
{
	if (printed->kind == VALUE_BYTES)
		eval_case_printed(c, printed->text, printed->n);
	else
		eval_case_failed(c, EVAL_WRONG_OUTPUT, "printed more than can be compared");
}

/* x: the answer from its type on */
static void judge_exception(struct eval_case *c, const struct value *x)
{
	const char *type = x[0].text, *base = x[1].text, *message = x[2].text;
	long line = strtol(x[3].text, NULL, 10);
	_free_ char *where = line > 0 ? str_printf(" in line %ld", line) : str_printf("%s", "");
	const char *colon = *message ? ": " : "";

	if (!c->expected_exception)
		eval_case_failed(c, EVAL_RAISED, "raised %.200s%s%s%.1000s", type, or_none(where),
				 colon, message);
	else if (!exception_is(type, base, c->expected_exception))
		eval_case_failed(c, EVAL_WRONG_EXCEPTION, "raised %.200s%s%s%.1000s, expected %s",
				 type, or_none(where), colon, message, c->expected_exception);
	else if (c->message && !pattern_is_in(c->message, message, x[2].n))
		eval_case_failed(c, EVAL_WRONG_EXCEPTION,
				 "raised %.200s with another message: %.1000s", type, message);
	else
		passed(c);
}

/*
 * A value that cannot be told, or not be sorted, equals nothing; nothing may be all that is asked.
 */
static void judge_untold(struct eval_case *c, const char *said, const char *why)
{
	const struct value items[] = {{.kind = VALUE_STR, .n = strlen(said), .text = said},
				      {.kind = VALUE_STR, .n = strlen(said), .text = said}};
	const struct value v = {.kind = VALUE_OPAQUE, .n = 2, .items = (struct value *)items};

	if (c->expected && c->compare.kind != COMPARE_STDOUT)
		eval_case_failed(c, EVAL_WRONG_VALUE,
				 "returned a %.100s that cannot be compared: %.200s", said, why);
	else if (c->expected_type && is_named(c->expected_type, said))
		passed(c);
	else
		judge_value(c, &v, said);
}

/* No name of Python has a NUL, behind which more could stand. */
static bool is_name(const struct value *v)
{
	return v->kind == VALUE_STR && strlen(v->text) == v->n;
}

static bool judge_returned(struct eval_case *c, struct value *x)
{
	struct err e = ERR_INIT;

	if (!is_name(&x[1]))
		return false;
	if (x[0].text[0] == 'T' && x[2].kind != VALUE_STR)
		return false;
	if (x[0].text[0] == 'T') {
		judge_untold(c, x[1].text, x[2].text);
	} else if (value_sort(&x[2], &e) < 0) {
		judge_untold(c, x[1].text, e.msg);
	} else {
		keep_output(c, &x[2]);
		judge_value(c, &x[2], x[1].text);
	}
	if (c->outcome == EVAL_PASSED && c->compare.kind == COMPARE_STDOUT)
		judge_printed(c, &x[3]);
	return true;
}

/* ["R", type, value, printed], ["E" or "U", type, base, message, line, printed], ["T", type, why,
 * printed] */
static bool judge_answer(struct eval_case *c, struct value *v)
{
	struct value *x = v->items;

	if (v->kind != VALUE_LIST || !v->n || x[0].kind != VALUE_STR || x[0].n != 1 ||
	    !x[0].text[0])
		return false;
	if (v->n == 4 && strchr("RT", x[0].text[0]))
		return judge_returned(c, x);
	if (v->n != 6 || !strchr("EU", x[0].text[0]) || !is_name(&x[1]) || !is_name(&x[2]) ||
	    x[3].kind != VALUE_STR || x[4].kind != VALUE_INT)
		return false;
	if (x[0].text[0] == 'U')
		eval_case_failed(c, EVAL_MISSING, "%.300s", x[3].text);
	else
		judge_exception(c, x + 1);
	return true;
}

void eval_case_answered(struct eval_case *c, const char *payload, size_t len)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct err e = ERR_INIT;
	struct value v;
	int r = value_read_literal(&pool, payload, len, &v, &e);

	if (r == -E2BIG)
		judge_untold(c, "value", "it has more than a million values");
	else if (r < 0)
		eval_case_failed(c, EVAL_BAD_ANSWER, "answered with garbage (%s)", e.msg);
	else if (!judge_answer(c, &v))
		eval_case_failed(c, EVAL_BAD_ANSWER, "answered with garbage");
}

bool eval_cases_all_passed(const struct eval_cases *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->items[i].outcome != EVAL_PASSED)
			return false;
	}
	return true;
}

bool eval_cases_all_hang(const struct eval_cases *c)
{
	bool one_hangs = false;

	for (size_t i = 0; i < c->n; i++) {
		enum eval_outcome o = c->items[i].outcome;

		if (o != EVAL_TIMEOUT && o != EVAL_NOT_RUN)
			return false;
		one_hangs |= o == EVAL_TIMEOUT;
	}
	return one_hangs;
}

double eval_cases_score(const struct eval_cases *c)
{
	double got = 0, all = 0;

	for (size_t i = 0; i < c->n; i++) {
		all += c->items[i].weight;
		got += c->items[i].outcome == EVAL_PASSED ? c->items[i].weight : 0;
	}
	return all > 0 ? got / all : 0;
}

/*
 * --- words ---------------------------------------------------------------------------------------
 */

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
		json_kbool(j, "passed", x->outcome == EVAL_PASSED);
		json_kstr(j, "outcome", eval_outcome_name(x->outcome));
		json_key(j, "output");
		json_raw(j, x->output.len ? strbuf_str(&x->output) : NULL);
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
