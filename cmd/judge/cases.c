/* SPDX-License-Identifier: Apache-2.0 */

/* Reads cases. They are their author's words, and a mistake in them is an error that names it. */

#include "cmd/judge/cases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/json.h"
#include "runtime/base/err.h"

static int wrong(struct err *e, const char *key, const char *what)
{
	return err_set(e, EINVAL, "%s: must be %s", key, what);
}

static int read_text(const struct value *v, const char *key, const char **ret, struct err *e)
{
	if (v->kind != VALUE_STR || !v->n || strlen(v->text) != v->n)
		return wrong(e, key, "a text");
	*ret = v->text;
	return 0;
}

static int read_double(const struct value *v, const char *key, double *ret, struct err *e)
{
	if (v->kind != VALUE_INT && v->kind != VALUE_FLOAT)
		return wrong(e, key, "a number");
	*ret = v->kind == VALUE_FLOAT ? v->number : strtod(v->text, NULL);
	if (!(*ret >= 0))
		return wrong(e, key, "a number that is not negative");
	return *ret < 1e300 ? 0 : wrong(e, key, "a number below 1e300");
}

static int read_name(struct eval_case *c, const struct value *v, struct err *e)
{
	if (v->kind != VALUE_STR && v->kind != VALUE_INT)
		return wrong(e, "name", "a text");
	free(c->name);
	c->name = str_printf("%s", v->text);
	return c->name ? 0 : err_oom(e);
}

static int read_exception(struct eval_case *c, const struct value *v, struct err *e)
{
	const struct value *type = v, *re = NULL;
	int r;

	if (v->kind == VALUE_DICT) {
		type = value_member(v, "type");
		re = value_member(v, "message_re");
		if (v->n != 2 * ((size_t) !!type + !!re) || !type)
			return wrong(e, "expected_exception", "a type, or {type, message_re}");
	}
	r = read_text(type, "expected_exception", &c->expected_exception, e);
	if (r < 0 || !re || re->kind == VALUE_NONE)
		return r;
	if (re->kind != VALUE_STR || strlen(re->text) != re->n)
		return wrong(e, "message_re", "a text");
	return pattern_compile(re->text, &c->message, e) < 0 ? err_wrap(e, "message_re") : 0;
}

static int read_tolerance(struct compare *c, const struct value *v, struct err *e)
{
	if (v->kind != VALUE_DICT)
		return wrong(e, "close", "an object of rel and abs");
	for (size_t i = 0; i < v->n; i += 2) {
		bool is_rel = value_is_text(&v->items[i], "rel");

		if (!is_rel && !value_is_text(&v->items[i], "abs"))
			return wrong(e, "close", "an object of rel and abs");
		if (read_double(&v->items[i + 1], "close", is_rel ? &c->rel : &c->abs, e) < 0)
			return -EINVAL;
	}
	return 0;
}

static int read_trim(struct compare *c, const struct value *v, struct err *e)
{
	const struct value *trim = value_member(v, "trim");

	if (v->kind != VALUE_DICT || v->n > 2 || (v->n && (!trim || trim->kind != VALUE_BOOL)))
		return wrong(e, "stdout", "an object of trim");
	c->exact = trim && !trim->truth;
	return 0;
}

/* "set", or {"close": {"rel": 1e-6}} */
static int read_compare(struct eval_case *c, const struct value *v, struct err *e)
{
	static const char *const words[] = {"equal", "set", "close", "stdout"};
	const struct value *word = v, *more = NULL;

	if (v->kind == VALUE_DICT && v->n == 2) {
		word = &v->items[0];
		more = &v->items[1];
	}
	for (int i = 0; i < 4; i++) {
		if (!value_is_text(word, words[i]))
			continue;
		c->compare.kind = (enum compare_kind)i;
		if (!more)
			return 0;
		if (c->compare.kind == COMPARE_CLOSE)
			return read_tolerance(&c->compare, more, e);
		if (c->compare.kind == COMPARE_STDOUT)
			return read_trim(&c->compare, more, e);
	}
	return wrong(e, "compare", "equal, set, close or stdout, or an object of the last two");
}

/* Other names of members, as others spell them. */
static const char *spelt(const char *key)
{
	static const struct {
		const char *from, *to;
	} names[] = {{"input_args", "args"},
		     {"input_kwargs", "kwargs"},
		     {"expected_output", "expected"},
		     {"input", "stdin"},
		     {"output", "expected"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (str_eq(key, names[i].from))
			return names[i].to;
	}
	return key;
}

/* A member and another that means the same cannot both be meant. */
static int check_spelt_once(const struct value *v, size_t at, const char *name, struct err *e)
{
	for (size_t i = 0; i < at; i += 2) {
		if (str_eq(spelt(v->items[i].text), name))
			return err_set(e, EINVAL, "%s and %s: are the same", v->items[i].text,
				       v->items[at].text);
	}
	return 0;
}

static bool is_hashable(const struct value *v)
{
	bool is = v->kind != VALUE_LIST && v->kind != VALUE_DICT && v->kind != VALUE_SET;

	for (size_t i = 0; is && v->kind == VALUE_TUPLE && i < v->n; i++)
		is = is_hashable(&v->items[i]);
	return is;
}

/* What Python has no value for would make the call fail, and look as if the program had. */
static int check_argument(const struct value *v, struct err *e)
{
	const size_t step = v->kind == VALUE_DICT ? 2 : 1;
	const bool has_items = v->kind == VALUE_DICT || v->kind == VALUE_SET ||
			       v->kind == VALUE_LIST || v->kind == VALUE_TUPLE;

	for (size_t i = 0; has_items && i < v->n; i++) {
		if ((v->kind == VALUE_SET || v->kind == VALUE_DICT) && i % step == 0 &&
		    !is_hashable(&v->items[i]))
			return err_set(e, EINVAL,
				       "Python has no %s with an array, an object or a $set in the "
				       "place of %s: {\"$tuple\": [...]} can be there",
				       step == 2 ? "dict" : "set", step == 2 ? "a key" : "an item");
		if (check_argument(&v->items[i], e) < 0)
			return -EINVAL;
	}
	return 0;
}

static int read_member(struct eval_case *c, const struct value *key, const struct value *v,
		       struct err *e)
{
	if (value_is_text(key, "expected")) {
		c->expected = v; /* null is None */
		return 0;
	}
	if (v->kind == VALUE_NONE)
		return 0;
	if (value_is_text(key, "name"))
		return read_name(c, v, e);
	if (value_is_text(key, "args")) {
		c->args = *v;
		return v->kind == VALUE_LIST || v->kind == VALUE_TUPLE
			       ? 0
			       : wrong(e, "args", "an array");
	}
	if (value_is_text(key, "kwargs")) {
		c->kwargs = *v;
		return v->kind == VALUE_DICT ? 0 : wrong(e, "kwargs", "an object");
	}
	if (value_is_text(key, "stdin")) {
		c->input = v;
		return v->kind == VALUE_STR || v->kind == VALUE_BYTES ? 0
								      : wrong(e, "stdin", "a text");
	}
	if (value_is_text(key, "expected_type"))
		return read_text(v, "expected_type", &c->expected_type, e);
	if (value_is_text(key, "expected_exception"))
		return read_exception(c, v, e);
	if (value_is_text(key, "compare"))
		return read_compare(c, v, e);
	if (value_is_text(key, "weight"))
		return read_double(v, "weight", &c->weight, e);
	return err_set(e, EINVAL, "%.100s: unknown member", key->text);
}

static bool is_text(const struct value *v)
{
	return v->kind == VALUE_STR || v->kind == VALUE_BYTES;
}

static int check_case(struct eval_case *c, bool for_function, bool has_compare, struct err *e)
{
	if (!for_function) {
		if (c->args.n || c->kwargs.n || c->expected_type || c->expected_exception)
			return err_set(e, EINVAL,
				       "a case without --function has stdin and expected only");
		if (has_compare && c->compare.kind != COMPARE_STDOUT)
			return wrong(e, "compare", "stdout, where there is no --function");
		c->compare.kind = COMPARE_STDOUT;
	} else if (c->input) {
		return err_set(e, EINVAL, "stdin: a function's case has args and kwargs");
	}
	if (c->expected_exception && (c->expected || c->expected_type))
		return err_set(e, EINVAL, "expected_exception: excludes what else is expected");
	if (c->compare.kind == COMPARE_STDOUT && c->expected && !is_text(c->expected))
		return wrong(e, "expected", "a text, which is compared with what was printed");
	if (c->kwargs.n) {
		for (size_t i = 0; i < c->kwargs.n; i += 2) {
			if (c->kwargs.items[i].kind != VALUE_STR)
				return wrong(e, "kwargs", "an object");
		}
	}
	return 0;
}

static int read_case(const struct value *v, bool for_function, size_t number, struct eval_case *c,
		     struct err *e)
{
	struct value key;

	*c = (struct eval_case){.weight = 1,
				.compare = {.rel = 1e-9},
				.args = {.kind = VALUE_LIST},
				.kwargs = {.kind = VALUE_DICT}};
	if (v->kind != VALUE_DICT)
		return err_set(e, EINVAL, "must be an object");
	for (size_t i = 0; i < v->n; i += 2) {
		if (v->items[i].kind != VALUE_STR)
			return err_set(e, EINVAL, "must be an object");
		key = v->items[i];
		key.text = spelt(key.text);
		key.n = strlen(key.text);
		if (check_spelt_once(v, i, key.text, e) < 0 ||
		    read_member(c, &key, &v->items[i + 1], e) < 0)
			return -EINVAL;
	}
	if (!c->name)
		c->name = str_printf("%zu", number);
	if (!c->name)
		return err_oom(e);
	if (check_argument(&c->args, e) < 0)
		return err_wrap(e, "args");
	if (check_argument(&c->kwargs, e) < 0)
		return err_wrap(e, "kwargs");
	if (c->expected && value_sort((struct value *)c->expected, e) < 0)
		return err_wrap(e, "expected");
	return check_case(c, for_function, value_member(v, "compare") != NULL, e);
}

int eval_cases_from_value(const struct value *list, bool for_function, struct eval_cases *ret,
			  struct err *e)
{
	if (list->kind != VALUE_LIST)
		return err_set(e, EINVAL, "cases: must be an array");
	if (!list->n || list->n > EVAL_CASES_MAX)
		return err_set(e, EINVAL, "cases: %s", list->n ? "too many" : "there is none");
	ret->items = calloc(list->n, sizeof(*ret->items));
	if (!ret->items)
		return err_oom(e);
	for (size_t i = 0; i < list->n; i++) {
		ret->n = i + 1;
		if (read_case(&list->items[i], for_function, i + 1, &ret->items[i], e) < 0)
			return err_wrap(e, "case %zu", i + 1);
	}
	return 0;
}

int eval_cases_read(const char *text, size_t len, bool for_function, struct eval_cases *ret,
		    struct err *e)
{
	struct value v;
	const struct value *list = &v;
	int r = value_read_json(&ret->pool, text, len, &v, e);

	if (r < 0)
		return r;
	if (v.kind == VALUE_DICT && v.n == 2)
		list = value_member(&v, "cases");
	if (!list)
		return err_set(e, EINVAL, "cases: must be an array, or an object of it");
	return eval_cases_from_value(list, for_function, ret, e);
}

void eval_cases_free(struct eval_cases *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].name);
		pattern_free(c->items[i].message);
		strbuf_free(&c->items[i].output);
		strbuf_free(&c->items[i].detail);
	}
	free(c->items);
	value_pool_free(&c->pool);
	*c = (struct eval_cases){0};
}
