/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Go's text/template/exec.go over a value tree. The recursion follows the template's own nesting,
 * which the parser bounds; steps and output are bounded here.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/docker/show/template_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/*
 * --- messages ------------------------------------------------------------------------------------
 */

__attribute__((format(printf, 3, 4))) static int bad(struct run *r, const struct node *at,
						     const char *fmt, ...)
{
	const struct template *t = r->t;
	size_t line = 1, column = at->pos;
	_free_ char *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	what = str_vprintf(fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < at->pos && t->text[i]; i++) {
		if (t->text[i] == '\n') {
			line++;
			column = at->pos - i - 1;
		}
	}
	return err_set(r->e, EINVAL, "template: %s:%zu:%zu: executing \"%s\" at <%s>: %s", t->name,
		       line, column, t->name, at->text ? at->text : "",
		       what ? what : "out of memory");
}

/*
 * --- fields --------------------------------------------------------------------------------------
 */

static const struct docker_value *struct_field(const struct docker_value *v, const char *name)
{
	for (const struct docker_value *m = v->first; m; m = m->next) {
		if (!(m->flags & DOCKER_VALUE_JSON_ONLY) && str_eq(m->go ? m->go : m->key, name))
			return m;
	}
	return NULL;
}

static const struct docker_value *map_entry(const struct docker_value *v, const char *name)
{
	const struct docker_value *m = docker_value_find(v, name);

	return m && !(m->flags & DOCKER_VALUE_GO_ONLY) ? m : NULL;
}

static int missing(struct run *r, const struct node *at, const struct docker_value *v,
		   const char *name, bool first)
{
	if (v->kind == DOCKER_VALUE_NIL && r->flags & TEMPLATE_RAW)
		return bad(r, at,
			   first ? "nil data; no entry for key \"%s\""
				 : "nil pointer evaluating interface {}.%s",
			   name);
	if (v->kind == DOCKER_VALUE_NIL)
		return bad(r, at, "nil pointer evaluating %s.%s", value_type(v), name);
	return bad(r, at, "can't evaluate field %s in type %s", name,
		   r->flags & TEMPLATE_RAW ? "interface {}" : value_type(v));
}

static int get_field(struct run *r, const struct node *at, const struct docker_value *v,
		     const char *name, bool first, const struct docker_value **ret)
{
	bool raw = r->flags & TEMPLATE_RAW;

	*ret = &value_absent;
	if (v == &value_absent && !raw)
		return 0;
	if (v->kind == DOCKER_VALUE_STRUCT && !raw)
		*ret = struct_field(v, name);
	else if (v->kind == DOCKER_VALUE_MAP || v->kind == DOCKER_VALUE_STRUCT)
		*ret = map_entry(v, name);
	else if (v->kind != DOCKER_VALUE_NOMAP || raw)
		return missing(r, at, v, name, first);
	if (*ret)
		return 0;
	*ret = &value_absent;
	if (raw)
		return bad(r, at, "map has no entry for key \"%s\"", name);
	if (v->kind == DOCKER_VALUE_STRUCT && !(r->flags & TEMPLATE_HEADER))
		return missing(r, at, v, name, first);
	return 0;
}

static int get_fields(struct run *r, const struct node *at, const struct docker_value *v,
		      size_t from, const struct docker_value **ret)
{
	*ret = v;
	for (size_t i = from; i < at->names.n; i++) {
		int code = get_field(r, at, *ret, at->names.items[i], i == from, ret);

		if (code < 0)
			return code;
	}
	return 0;
}

/* The head of a column of .Label "org.example.kind": "kind". */
static int label_head(struct run *r, const char *name, const struct docker_value **ret)
{
	const char *dot = strrchr(name, '.');
	struct docker_value *v =
		run_make_str(r, dot ? dot + 1 : name, strlen(dot ? dot + 1 : name));

	for (char *s = v ? v->text : NULL; s && *s; s++) {
		if (*s == '-' || *s == '_')
			*s = ' ';
	}
	*ret = v ? v : &value_absent;
	return v ? 0 : err_code(r->e, ENOMEM, "template");
}

/* .Label "x": the one method there is, of a member that is a map JSON does not show. */
static int call_method(struct run *r, const struct node *at, const struct docker_value *dot,
		       const struct docker_value **args, size_t n, const struct docker_value **ret)
{
	const char *name = at->names.items[at->names.n - 1];
	const struct docker_value *map = NULL;

	if (dot->kind == DOCKER_VALUE_STRUCT || dot->kind == DOCKER_VALUE_MAP)
		map = docker_value_find(dot, name);
	if (!map || !(map->flags & DOCKER_VALUE_GO_ONLY) || at->names.n != 1) {
		if (r->flags & TEMPLATE_HEADER && n == 1 && args[0]->kind == DOCKER_VALUE_STR)
			return label_head(r, args[0]->text, ret);
		return bad(r, at, "%s has arguments but cannot be invoked as function", name);
	}
	if (n != 1 || args[0]->kind != DOCKER_VALUE_STR)
		return bad(r, at, "wrong number of args for %s: want 1 got %zu", name, n);
	*ret = docker_value_find(map, args[0]->text);
	if (!*ret)
		*ret = run_make_str(r, "", 0);
	return *ret ? 0 : err_code(r->e, ENOMEM, "template");
}

/*
 * --- expressions ---------------------------------------------------------------------------------
 */

static int run_pipe(struct run *r, const struct node *pipe, const struct docker_value *dot,
		    const struct docker_value **ret);

static int get_variable(struct run *r, const struct node *n, const struct docker_value **ret)
{
	for (unsigned i = r->n_variables; i--;) {
		if (str_eq(r->variables[i].name, n->names.items[0]))
			return get_fields(r, n, r->variables[i].value, 1, ret);
	}
	return bad(r, n, "undefined variable: %s", n->names.items[0]);
}

static int run_word(struct run *r, const struct node *command, const struct docker_value *dot,
		    const struct docker_value *last, const struct docker_value **ret);

static int get_operand(struct run *r, const struct node *n, const struct docker_value *dot,
		       const struct docker_value **ret)
{
	int code;

	switch (n->kind) {
	case NODE_DOT:
		*ret = dot;
		return 0;
	case NODE_NIL:
		*ret = &value_absent;
		return 0;
	case NODE_CONSTANT:
		*ret = n->constant;
		return 0;
	case NODE_FIELD:
		return get_fields(r, n, dot, 0, ret);
	case NODE_VARIABLE:
		return get_variable(r, n, ret);
	case NODE_CHAIN:
		code = run_pipe(r, n->first, dot, ret);
		return code < 0 ? code : get_fields(r, n, *ret, 0, ret);
	case NODE_WORD: {
		const struct node alone = {.kind = NODE_COMMAND,
					   .pos = n->pos,
					   .text = n->text,
					   .first = (struct node *)(uintptr_t)n};

		return run_word(r, &alone, dot, NULL, ret);
	}
	default:
		return bad(r, n, "can't handle this");
	}
}

/* The operands behind the first, and what came down the pipe. */
static int get_args(struct run *r, const struct node *command, const struct docker_value *dot,
		    const struct docker_value *last, const struct docker_value **args,
		    size_t *ret_n)
{
	size_t n = 0;

	for (const struct node *o = command->first->next; o && command->last; o = o->next) {
		int code;

		if (n == TEMPLATE_ARGS_MAX)
			return bad(r, command, "too many arguments for csbx");
		code = get_operand(r, o, dot, &args[n++]);
		if (code < 0)
			return code;
	}
	if (last && n < TEMPLATE_ARGS_MAX)
		args[n++] = last;
	*ret_n = n;
	return 0;
}

static int run_word(struct run *r, const struct node *command, const struct docker_value *dot,
		    const struct docker_value *last, const struct docker_value **ret)
{
	const struct template_function *f = command->first->function;
	const struct docker_value *args[TEMPLATE_ARGS_MAX];
	struct err why = ERR_INIT;
	size_t n = 0;
	int code = get_args(r, command, dot, last, args, &n);

	if (code < 0)
		return code;
	if (n < f->min || n > f->max)
		return bad(r, command->first, "wrong number of args for %s: want %s%u got %zu",
			   f->name, f->min == f->max ? "" : "at least ", f->min, n);
	if (f->is_docker && r->flags & TEMPLATE_HEADER) {
		*ret = args[0];
		return 0;
	}
	code = f->call(r, args, n, ret, &why);
	return code < 0 ? bad(r, command, "error calling %s: %s", f->name, why.msg) : 0;
}

static int run_command(struct run *r, const struct node *command, const struct docker_value *dot,
		       const struct docker_value *last, const struct docker_value **ret)
{
	const struct node *first = command->first;
	const struct docker_value *args[TEMPLATE_ARGS_MAX];
	size_t n = 0;
	int code;

	if (++r->steps > TEMPLATE_STEPS_MAX)
		return bad(r, command, "too many steps for csbx");
	if (first->kind == NODE_WORD)
		return run_word(r, command, dot, last, ret);
	if (!first->next && !last)
		return get_operand(r, first, dot, ret);
	if (first->kind != NODE_FIELD)
		return bad(r, command, "can't give argument to non-function %s",
			   first->text ? first->text : "");
	code = get_args(r, command, dot, last, args, &n);
	return code < 0 ? code : call_method(r, first, dot, args, n, ret);
}

static int declare(struct run *r, const struct node *pipe, const char *name,
		   const struct docker_value *v)
{
	for (unsigned i = r->n_variables; pipe->assigns && i--;) {
		if (str_eq(r->variables[i].name, name)) {
			r->variables[i].value = v;
			return 0;
		}
	}
	if (r->n_variables == TEMPLATE_DEPTH_MAX)
		return bad(r, pipe, "too many variables for csbx");
	r->variables[r->n_variables].name = name;
	r->variables[r->n_variables++].value = v;
	return 0;
}

static int run_pipe(struct run *r, const struct node *pipe, const struct docker_value *dot,
		    const struct docker_value **ret)
{
	const struct docker_value *v = NULL;
	int code = 0;

	for (const struct node *c = pipe->first; c && code >= 0; c = c->next)
		code = run_command(r, c, dot, v, &v);
	*ret = v;
	return code;
}

/*
 * --- statements ----------------------------------------------------------------------------------
 */

static int run_list(struct run *r, const struct node *list, const struct docker_value *dot);

static int run_print(struct run *r, const struct node *pipe, const struct docker_value *dot)
{
	const struct docker_value *v;
	int code = run_pipe(r, pipe, dot, &v);

	if (code < 0)
		return code;
	if (pipe->names.n)
		return declare(r, pipe, pipe->names.items[0], v);
	if (v == &value_absent || (r->flags & TEMPLATE_RAW && v->kind <= DOCKER_VALUE_NOMAP))
		strbuf_addstr(r->out, "<no value>");
	else
		docker_value_print(v, r->flags & TEMPLATE_RAW, r->out);
	return 0;
}

static int run_item(struct run *r, const struct node *n, const struct docker_value *item,
		    int64_t number)
{
	const struct strv *names = &n->pipe->names;
	struct docker_value *key = NULL;
	unsigned before = r->n_variables;
	int code = 0;

	if (names->n > 1) {
		key = item->key ? run_make_str(r, item->key, strlen(item->key))
				: run_make(r, DOCKER_VALUE_INT);
		if (!key)
			return err_code(r->e, ENOMEM, "template");
		if (!item->key)
			key->number = number;
		code = declare(r, n->pipe, names->items[0], key);
	}
	if (names->n && code >= 0)
		code = declare(r, n->pipe, names->items[names->n - 1], item);
	if (code >= 0)
		code = run_list(r, n, item);
	r->n_variables = before;
	return code;
}

static int by_key(const void *a, const void *b)
{
	const struct docker_value *const *x = a, *const *y = b;

	return strcmp((*x)->key ? (*x)->key : "", (*y)->key ? (*y)->key : "");
}

static int run_range(struct run *r, const struct node *n, const struct docker_value *dot)
{
	_free_ const struct docker_value **items = NULL;
	const struct docker_value *v;
	size_t count = 0;
	int code = run_pipe(r, n->pipe, dot, &v);

	if (code < 0)
		return code;
	if (v->kind != DOCKER_VALUE_LIST && v->kind != DOCKER_VALUE_MAP &&
	    v->kind > DOCKER_VALUE_NOMAP &&
	    !(v->kind == DOCKER_VALUE_STRUCT && r->flags & TEMPLATE_RAW))
		return bad(r, n->pipe, "range can't iterate over %s",
			   v->kind == DOCKER_VALUE_STR ? v->text : value_type(v));
	items = calloc(v->count + 1, sizeof(*items));
	if (!items)
		return err_code(r->e, ENOMEM, "template");
	for (const struct docker_value *m = v->first; m; m = m->next) {
		if (!(m->flags & DOCKER_VALUE_GO_ONLY))
			items[count++] = m;
	}
	if (v->kind != DOCKER_VALUE_LIST)
		qsort(items, count, sizeof(*items), by_key);
	for (size_t i = 0; i < count && code >= 0; i++)
		code = run_item(r, n, items[i], (int64_t)i);
	if (!count && n->other)
		code = run_list(r, n->other, dot);
	return code;
}

static int run_branch(struct run *r, const struct node *n, const struct docker_value *dot)
{
	unsigned before = r->n_variables;
	const struct docker_value *v;
	int code = run_pipe(r, n->pipe, dot, &v);

	if (code >= 0 && n->pipe->names.n)
		code = declare(r, n->pipe, n->pipe->names.items[0], v);
	if (code >= 0 && value_is_true(v))
		code = run_list(r, n, n->kind == NODE_WITH ? v : dot);
	else if (code >= 0 && n->other)
		code = run_list(r, n->other, dot);
	r->n_variables = before;
	return code;
}

static int run_list(struct run *r, const struct node *list, const struct docker_value *dot)
{
	int code = 0;

	for (const struct node *n = list->first; n && code >= 0; n = n->next) {
		if (++r->steps > TEMPLATE_STEPS_MAX || r->out->len > TEMPLATE_OUTPUT_MAX)
			return bad(r, n, "too much for csbx");
		if (n->kind == NODE_TEXT)
			strbuf_addstr(r->out, n->text);
		else if (n->kind == NODE_RANGE)
			code = run_range(r, n, dot);
		else if (n->kind == NODE_IF || n->kind == NODE_WITH)
			code = run_branch(r, n, dot);
		else
			code = run_print(r, n, dot);
	}
	return code;
}

int template_run(const struct template *t, const struct docker_value *dot, unsigned flags,
		 struct strbuf *out, struct err *e)
{
	_docker_value_ struct docker_value *made = docker_value_new(DOCKER_VALUE_LIST);
	struct run r = {.t = t, .flags = flags, .out = out, .e = e, .made = made};
	int code;

	if (!made)
		return err_code(e, ENOMEM, "template");
	r.variables[r.n_variables++] = (struct variable){"$", dot};
	code = run_list(&r, t->first, dot);
	if (code >= 0 && made->failed)
		code = err_code(e, ENOMEM, "template");
	return code < 0 ? code : strbuf_check(out, e);
}
