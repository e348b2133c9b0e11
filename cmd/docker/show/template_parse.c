/* SPDX-License-Identifier: Apache-2.0 */

/* Statements of Go's text/template; their recursion is bounded by TEMPLATE_DEPTH_MAX. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/docker/show/template_parse.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define NODES_MAX 8192

int parser_bad(struct parser *p, const char *fmt, ...)
{
	_free_ char *what = NULL;
	unsigned line = 1;
	va_list ap;

	va_start(ap, fmt);
	what = str_vprintf(fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < p->pos && p->t->text[i]; i++)
		line += p->t->text[i] == '\n';
	return err_set(p->e, EINVAL, "template: %s:%u: %s", p->t->name, line,
		       what ? what : "out of memory");
}

struct token parser_next(struct parser *p)
{
	struct token t;

	if (p->n_ahead) {
		t = p->ahead[--p->n_ahead];
	} else {
		do
			t = lexer_next(&p->lexer);
		while (t.kind == TOKEN_TEXT && !t.len);
	}
	p->pos = t.pos;
	return t;
}

void parser_put_back(struct parser *p, struct token t)
{
	p->ahead[p->n_ahead++] = t;
}

struct token parser_peek(struct parser *p)
{
	struct token t = parser_next(p);

	parser_put_back(p, t);
	return t;
}

int parser_unexpected(struct parser *p, struct token t, const char *context)
{
	int n = t.len > 64 ? 64 : (int)t.len;

	if (t.kind == TOKEN_ERROR)
		return parser_bad(p, "%.*s", n, t.text);
	if (t.kind == TOKEN_EOF)
		return parser_bad(p, "unexpected EOF");
	if (t.kind >= TOKEN_KEYWORD)
		return parser_bad(p, "unexpected <%.*s> in %s", n, t.text, context);
	if (t.kind == TOKEN_STRING && *t.text == '"')
		return parser_bad(p, "unexpected \"\\\"%.*s\\\"\" in %s", n - 2, t.text + 1,
				  context);
	return parser_bad(p, "unexpected \"%.*s\"%s in %s", n > 10 ? 10 : n, t.text,
			  n > 10 ? "..." : "", context);
}

struct node *parser_node(struct parser *p, enum node_kind kind, size_t pos)
{
	struct node *n;

	if (p->t->n_nodes++ >= NODES_MAX) {
		parser_bad(p, "too long for csbx");
		return NULL;
	}
	n = calloc(1, sizeof(*n));
	if (!n) {
		err_code(p->e, ENOMEM, "template");
		return NULL;
	}
	n->kind = kind;
	n->pos = pos;
	n->allocated = p->t->all;
	p->t->all = n;
	return n;
}

void parser_add(struct node *list, struct node *n)
{
	if (list->last)
		list->last->next = n;
	else
		list->first = n;
	list->last = n;
}

/*
 * --- statements ----------------------------------------------------------------------------------
 */

/* Statements up to {{end}} or {{else}} (*ret_end), or to the end of the text. */
static int parse_list(struct parser *p, struct node *list, enum token_kind *ret_end);

static int parse_control(struct parser *p, struct token keyword, struct node **ret);

/* {{else}}, {{else if ...}}, {{else with ...}}: one more {{end}} is not wanted for the latter. */
static int parse_else(struct parser *p, struct node *n)
{
	struct token t = parser_next(p);
	enum token_kind end;
	struct node *inner;
	int r;

	n->other = parser_node(p, NODE_TEXT, t.pos);
	if (!n->other)
		return -EINVAL;
	if ((t.kind == TOKEN_IF && n->kind == NODE_IF) ||
	    (t.kind == TOKEN_WITH && n->kind == NODE_WITH)) {
		r = parse_control(p, t, &inner);
		if (r >= 0)
			parser_add(n->other, inner);
		return r;
	}
	if (t.kind != TOKEN_RIGHT)
		return parser_unexpected(p, t, "else");
	r = parse_list(p, n->other, &end);
	if (r >= 0 && end == TOKEN_ELSE)
		return parser_bad(p, "expected end; found {{else}}");
	if (r >= 0 && end == TOKEN_END && (t = parser_next(p)).kind != TOKEN_RIGHT)
		return parser_unexpected(p, t, "end");
	return r >= 0 && end == TOKEN_EOF ? parser_bad(p, "unexpected EOF") : r;
}

static int parse_control(struct parser *p, struct token keyword, struct node **ret)
{
	enum node_kind kind = keyword.kind == TOKEN_IF      ? NODE_IF
			      : keyword.kind == TOKEN_RANGE ? NODE_RANGE
							    : NODE_WITH;
	static const char *const contexts[] = {"if", "range", "with"};
	struct node *n = parser_node(p, kind, keyword.pos);
	unsigned variables = p->n_variables;
	enum token_kind end;
	struct token t;
	int r;

	*ret = n;
	if (!n)
		return -EINVAL;
	r = parser_pipe(p, contexts[kind - NODE_IF], TOKEN_RIGHT, &n->pipe);
	if (r < 0 || (r = parse_list(p, n, &end)) < 0)
		return r;
	if (end == TOKEN_EOF)
		return parser_bad(p, "unexpected EOF");
	if (end == TOKEN_ELSE)
		r = parse_else(p, n);
	else if ((t = parser_next(p)).kind != TOKEN_RIGHT)
		r = parser_unexpected(p, t, "end");
	p->n_variables = variables;
	return r;
}

/* Behind "{{". 1: it was {{end}} or {{else, without its "}}". */
static int parse_action(struct parser *p, struct node *list, enum token_kind *ret_end)
{
	struct token t = parser_next(p);
	struct node *n = NULL;
	int r;

	if (t.kind == TOKEN_END || t.kind == TOKEN_ELSE) {
		*ret_end = t.kind;
		return 1;
	}
	if (t.kind == TOKEN_OTHER)
		return parser_bad(p, "{{%.*s}} is not supported by csbx", (int)t.len, t.text);
	if (t.kind == TOKEN_IF || t.kind == TOKEN_RANGE || t.kind == TOKEN_WITH) {
		r = parse_control(p, t, &n);
	} else {
		parser_put_back(p, t);
		r = parser_pipe(p, "command", TOKEN_RIGHT, &n);
	}
	if (r >= 0)
		parser_add(list, n);
	return r;
}

static int parse_text(struct parser *p, struct token t, struct node *list)
{
	struct node *n = parser_node(p, NODE_TEXT, t.pos);

	if (!n)
		return -EINVAL;
	n->text = strndup(t.text, t.len);
	if (!n->text)
		return err_code(p->e, ENOMEM, "template");
	parser_add(list, n);
	return 0;
}

static int parse_list(struct parser *p, struct node *list, enum token_kind *ret_end)
{
	int r = 0;

	if (++p->depth > TEMPLATE_DEPTH_MAX)
		return parser_bad(p, "too deep for csbx");
	for (;;) {
		struct token t = parser_next(p);

		*ret_end = TOKEN_EOF;
		if (t.kind == TOKEN_EOF)
			break;
		if (t.kind == TOKEN_TEXT)
			r = parse_text(p, t, list);
		else if (t.kind == TOKEN_LEFT)
			r = parse_action(p, list, ret_end);
		else
			r = parser_unexpected(p, t, "input");
		if (r)
			break;
	}
	p->depth--;
	return r < 0 ? r : 0;
}

int template_parse(const char *name, const char *text, struct template **ret, struct err *e)
{
	struct template *t = calloc(1, sizeof(*t));
	struct parser p = {.t = t, .e = e};
	enum token_kind end;
	struct node *list;
	int r = -EINVAL;

	if (!t)
		return err_code(e, ENOMEM, "template");
	t->name = strdup(name);
	t->text = strdup(text);
	p.lexer = (struct lexer){.text = t->text, .len = t->text ? strlen(t->text) : 0};
	if (!t->name || !t->text)
		r = err_code(e, ENOMEM, "template");
	else if (p.lexer.len > TEMPLATE_BYTES_MAX)
		r = parser_bad(&p, "too long for csbx");
	else if ((list = parser_node(&p, NODE_TEXT, 0)) && (r = parse_list(&p, list, &end)) >= 0) {
		t->first = list;
		if (end != TOKEN_EOF)
			r = parser_bad(&p, "unexpected {{%s}}", end == TOKEN_END ? "end" : "else");
	}
	if (r < 0)
		template_free(t);
	else
		*ret = t;
	return r;
}

void template_free(struct template *t)
{
	struct node *next_node;

	if (!t)
		return;
	for (struct node *n = t->all; n; n = next_node) {
		next_node = n->allocated;
		strv_free(&n->names);
		free(n->text);
		docker_value_free(n->constant);
		free(n);
	}
	free(t->name);
	free(t->text);
	free(t);
}

/* True where all of dot is taken: {{json .}}, {{.}}. */
bool template_uses(const struct template *t, const char *field)
{
	for (const struct node *n = t->all; n; n = n->allocated) {
		if (n->kind == NODE_DOT)
			return true;
		for (size_t i = 0; i < n->names.n; i++) {
			if (str_eq(n->names.items[i], field))
				return true;
		}
	}
	return false;
}
