/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The functions of a template: Go's own and docker's. `and` and `or` are here, but see run_word().
 */

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/docker/show/template_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static int want_str(const struct docker_value *v, struct err *e)
{
	if (v->kind == DOCKER_VALUE_STR)
		return 0;
	return err_set(e, EINVAL, "wrong type for value; expected string; got %s", value_type(v));
}

static int want_int(const struct docker_value *v, struct err *e)
{
	if (v->kind == DOCKER_VALUE_INT)
		return 0;
	return err_set(e, EINVAL, "wrong type for value; expected int; got %s", value_type(v));
}

static int give(struct docker_value *v, const struct docker_value **ret, struct err *e)
{
	*ret = v;
	return v ? 0 : err_code(e, ENOMEM, "template");
}

static int give_text(struct run *r, struct strbuf *b, const struct docker_value **ret,
		     struct err *e)
{
	if (strbuf_check(b, e) < 0)
		return -ENOMEM;
	return give(run_make_str(r, strbuf_str(b), b->len), ret, e);
}

/*
 * --- comparisons --------------------------------------------------------------------------------
 */

/* Go refuses to compare values of different kinds, and lists and maps at all. */
static int compare(const struct docker_value *a, const struct docker_value *b, bool order, int *ret,
		   struct err *e)
{
	bool basic = a->kind == DOCKER_VALUE_BOOL || a->kind == DOCKER_VALUE_INT ||
		     a->kind == DOCKER_VALUE_STR;

	if (a->kind == DOCKER_VALUE_NIL && b->kind == DOCKER_VALUE_NIL && !order) {
		*ret = 0;
		return 0;
	}
	if (a->kind != b->kind && (a->kind == DOCKER_VALUE_NIL || b->kind == DOCKER_VALUE_NIL) &&
	    !order) {
		*ret = 1;
		return 0;
	}
	if (!basic || (order && a->kind == DOCKER_VALUE_BOOL))
		return err_set(e, EINVAL,
			       order ? "invalid type for comparison" : "non-comparable type");
	if (a->kind != b->kind)
		return err_set(e, EINVAL, "incompatible types for comparison");
	if (a->kind == DOCKER_VALUE_STR)
		*ret = strcmp(a->text, b->text);
	else
		*ret = a->number < b->number ? -1 : a->number > b->number;
	return 0;
}

static int call_eq(struct run *r, const struct docker_value **args, size_t n,
		   const struct docker_value **ret, struct err *e)
{
	int order = 1, code;

	if (n < 2)
		return err_set(e, EINVAL, "missing argument for comparison");
	for (size_t i = 1; i < n && order; i++) {
		code = compare(args[0], args[i], false, &order, e);
		if (code < 0)
			return code;
	}
	return give(run_make_bool(r, !order), ret, e);
}

static int call_ne(struct run *r, const struct docker_value **args, size_t n,
		   const struct docker_value **ret, struct err *e)
{
	int order = 0, code = compare(args[0], args[1], false, &order, e);

	(void)n;
	return code < 0 ? code : give(run_make_bool(r, order), ret, e);
}

#define ORDER(name, test)                                                              \
	static int name(struct run *r, const struct docker_value **args, size_t n,     \
			const struct docker_value **ret, struct err *e)                \
	{                                                                              \
		int order = 0, code = compare(args[0], args[1], true, &order, e);      \
                                                                                       \
		(void)n;                                                               \
		return code < 0 ? code : give(run_make_bool(r, order test 0), ret, e); \
	}
ORDER(call_lt, <)
ORDER(call_le, <=)
ORDER(call_gt, >)
ORDER(call_ge, >=)

static int call_and(struct run *r, const struct docker_value **args, size_t n,
		    const struct docker_value **ret, struct err *e)
{
	size_t i = 0;

	(void)r, (void)e;
	while (i + 1 < n && value_is_true(args[i]))
		i++;
	*ret = args[i];
	return 0;
}

static int call_or(struct run *r, const struct docker_value **args, size_t n,
		   const struct docker_value **ret, struct err *e)
{
	size_t i = 0;

	(void)r, (void)e;
	while (i + 1 < n && !value_is_true(args[i]))
		i++;
	*ret = args[i];
	return 0;
}

static int call_not(struct run *r, const struct docker_value **args, size_t n,
		    const struct docker_value **ret, struct err *e)
{
	(void)n;
	return give(run_make_bool(r, !value_is_true(args[0])), ret, e);
}

/*
 * --- parts of things -----------------------------------------------------------------------------
 */

static int call_len(struct run *r, const struct docker_value **args, size_t n,
		    const struct docker_value **ret, struct err *e)
{
	const struct docker_value *v = args[0];
	struct docker_value *made;

	(void)n;
	if (v->kind == DOCKER_VALUE_NIL)
		return err_set(e, EINVAL, "len of nil pointer");
	if (v->kind == DOCKER_VALUE_BOOL || v->kind == DOCKER_VALUE_INT ||
	    v->kind == DOCKER_VALUE_STRUCT)
		return err_set(e, EINVAL, "len of type %s", value_type(v));
	made = run_make(r, DOCKER_VALUE_INT);
	if (made)
		made->number = (int64_t)(v->kind == DOCKER_VALUE_STR ? strlen(v->text) : v->count);
	return give(made, ret, e);
}

/* The value that a Go map gives for a key that it has not: the zero of what it holds. */
static int zero_of(struct run *r, const struct docker_value *map, const struct docker_value **ret,
		   struct err *e)
{
	enum docker_value_kind kind = map->first ? map->first->kind : DOCKER_VALUE_STR;

	*ret = &value_absent;
	if (r->flags & TEMPLATE_RAW)
		return 0;
	if (kind == DOCKER_VALUE_STR)
		return give(run_make_str(r, "", 0), ret, e);
	if (kind == DOCKER_VALUE_LIST || kind == DOCKER_VALUE_NOLIST)
		return give(run_make(r, DOCKER_VALUE_NOLIST), ret, e);
	return give(run_make(r, DOCKER_VALUE_NIL), ret, e);
}

static int index_one(struct run *r, const struct docker_value *v, const struct docker_value *key,
		     const struct docker_value **ret, struct err *e)
{
	bool map = v->kind == DOCKER_VALUE_MAP || v->kind == DOCKER_VALUE_NOMAP ||
		   (v->kind == DOCKER_VALUE_STRUCT && r->flags & TEMPLATE_RAW);
	int code;

	if (v->kind == DOCKER_VALUE_NIL)
		return err_set(e, EINVAL, "index of %snil%s", v == &value_absent ? "untyped " : "",
			       v == &value_absent ? "" : " pointer");
	if (map) {
		code = want_str(key, e);
		if (code < 0)
			return code;
		*ret = docker_value_find(v, key->text);
		return *ret ? 0 : zero_of(r, v, ret, e);
	}
	if (v->kind != DOCKER_VALUE_LIST && v->kind != DOCKER_VALUE_NOLIST &&
	    v->kind != DOCKER_VALUE_STR)
		return err_set(e, EINVAL, "can't index item of type %s", value_type(v));
	if (key->kind != DOCKER_VALUE_INT)
		return err_set(e, EINVAL, "cannot index slice/array with type %s", value_type(key));
	if (key->number < 0 ||
	    (uint64_t)key->number >= (v->kind == DOCKER_VALUE_STR ? strlen(v->text) : v->count))
		return err_set(e, EINVAL, "index out of range: %" PRId64, key->number);
	if (v->kind == DOCKER_VALUE_STR) {
		struct docker_value *byte = run_make(r, DOCKER_VALUE_INT);

		if (byte)
			byte->number = (unsigned char)v->text[key->number];
		return give(byte, ret, e);
	}
	*ret = docker_value_at(v, (size_t)key->number);
	return 0;
}

static int call_index(struct run *r, const struct docker_value **args, size_t n,
		      const struct docker_value **ret, struct err *e)
{
	*ret = args[0];
	for (size_t i = 1; i < n; i++) {
		int code = index_one(r, *ret, args[i], ret, e);

		if (code < 0)
			return code;
	}
	return 0;
}

static int call_slice(struct run *r, const struct docker_value **args, size_t n,
		      const struct docker_value **ret, struct err *e)
{
	const struct docker_value *v = args[0];
	int64_t len, from = 0, to;
	int code = 0;

	if (v->kind != DOCKER_VALUE_STR)
		return err_set(e, EINVAL, "can't slice item of type %s", value_type(v));
	to = len = (int64_t)strlen(v->text);
	for (size_t i = 1; i < n && code >= 0; i++)
		code = want_int(args[i], e);
	if (code < 0)
		return code;
	if (n > 1)
		from = args[1]->number;
	if (n > 2)
		to = args[2]->number;
	if (from < 0 || from > len)
		return err_set(e, EINVAL, "index out of range: %" PRId64, from);
	if (to < 0 || to > len)
		return err_set(e, EINVAL, "index out of range: %" PRId64, to);
	if (from > to)
		return err_set(e, EINVAL, "invalid slice index: %" PRId64 " > %" PRId64, from, to);
	return give(run_make_str(r, v->text + from, (size_t)(to - from)), ret, e);
}

/*
 * --- printing ------------------------------------------------------------------------------------
 */

static void print_value(struct run *r, const struct docker_value *v, struct strbuf *out)
{
	docker_value_print(v, r->flags & TEMPLATE_RAW, out);
}

static int call_println(struct run *r, const struct docker_value **args, size_t n,
			const struct docker_value **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_addch(&out, ' ');
		print_value(r, args[i], &out);
	}
	strbuf_addch(&out, '\n');
	return give_text(r, &out, ret, e);
}

/* Go's Sprint: a blank between two operands neither of which is text. */
static int call_print(struct run *r, const struct docker_value **args, size_t n,
		      const struct docker_value **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (i && args[i]->kind != DOCKER_VALUE_STR && args[i - 1]->kind != DOCKER_VALUE_STR)
			strbuf_addch(&out, ' ');
		print_value(r, args[i], &out);
	}
	return give_text(r, &out, ret, e);
}

/* One verb of printf: %[-0][width][.precision]{s,v,d,q,t,x}. */
struct directive {
	bool left, zero;
	int width, precision;
	char verb;
};

static const char *read_directive(const char *s, struct directive *d)
{
	*d = (struct directive){.precision = -1};
	for (; *s == '-' || *s == '0' || *s == '+' || *s == '#' || *s == ' '; s++) {
		d->left |= *s == '-';
		d->zero |= *s == '0';
	}
	for (; isdigit((unsigned char)*s) && d->width < 1000; s++)
		d->width = d->width * 10 + (*s - '0');
	if (*s == '.') {
		d->precision = 0;
		for (s++; isdigit((unsigned char)*s) && d->precision < 100000; s++)
			d->precision = d->precision * 10 + (*s - '0');
	}
	d->verb = *s;
	return *s ? s + 1 : s;
}

static void add_directive(struct run *r, const struct directive *d, const struct docker_value *v,
			  struct strbuf *out)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	bool number = v->kind == DOCKER_VALUE_INT;
	size_t pad;

	if (d->verb == 'q' && v->kind == DOCKER_VALUE_STR)
		(void)docker_value_json(v, false, &text, NULL);
	else if (d->verb == 'x' && number)
		strbuf_addf(&text, "%" PRIx64, (uint64_t)v->number);
	else if (d->verb == 'v' || (d->verb == 's' && !number && v->kind != DOCKER_VALUE_BOOL) ||
		 (d->verb == 'd' && number) || (d->verb == 't' && v->kind == DOCKER_VALUE_BOOL))
		print_value(r, v, &text);
	else
		strbuf_addf(&text, "%%!%c(%s=%s)", d->verb, value_type(v),
			    v->kind == DOCKER_VALUE_STR ? v->text
			    : number                    ? "int"
							: "?");
	if (d->precision >= 0 && v->kind == DOCKER_VALUE_STR && (size_t)d->precision < text.len)
		text.len = (size_t)d->precision;
	pad = (size_t)d->width > text.len ? (size_t)d->width - text.len : 0;
	for (; pad && !d->left; pad--)
		strbuf_addch(out, d->zero && number ? '0' : ' ');
	strbuf_add(out, strbuf_str(&text), text.len);
	for (; pad; pad--)
		strbuf_addch(out, ' ');
}

static int call_printf(struct run *r, const struct docker_value **args, size_t n,
		       const struct docker_value **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct directive d;
	int code = want_str(args[0], e);
	size_t used = 1;

	if (code < 0)
		return code;
	for (const char *s = args[0]->text; *s;) {
		if (*s != '%') {
			strbuf_addch(&out, *s++);
			continue;
		}
		s = read_directive(s + 1, &d);
		if (d.verb == '%')
			strbuf_addch(&out, '%');
		else if (!d.verb)
			strbuf_addstr(&out, "%!(NOVERB)");
		else if (used >= n)
			strbuf_addf(&out, "%%!%c(MISSING)", d.verb);
		else
			add_directive(r, &d, args[used++], &out);
	}
	return give_text(r, &out, ret, e);
}

static const struct template_function functions[] = {
	{"and", 1, TEMPLATE_ARGS_MAX, call_and},
	{"eq", 1, TEMPLATE_ARGS_MAX, call_eq},
	{"ge", 2, 2, call_ge},
	{"gt", 2, 2, call_gt},
	{"index", 1, TEMPLATE_ARGS_MAX, call_index},
	{"le", 2, 2, call_le},
	{"len", 1, 1, call_len},
	{"lt", 2, 2, call_lt},
	{"ne", 2, 2, call_ne},
	{"not", 1, 1, call_not},
	{"or", 1, TEMPLATE_ARGS_MAX, call_or},
	{"print", 0, TEMPLATE_ARGS_MAX, call_print},
	{"printf", 1, TEMPLATE_ARGS_MAX, call_printf},
	{"println", 0, TEMPLATE_ARGS_MAX, call_println},
	{"slice", 1, 3, call_slice},
	{0},
};

static const struct template_function *find_in(const struct template_function *f, const char *name,
					       size_t len)
{
	for (; f->name; f++) {
		if (strlen(f->name) == len && !memcmp(f->name, name, len))
			return f;
	}
	return NULL;
}

const struct template_function *template_function_find(const char *name, size_t len)
{
	const struct template_function *f = find_in(functions, name, len);

	return f ? f : find_in(template_docker_functions, name, len);
}
